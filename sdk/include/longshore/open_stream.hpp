// The state of one server stream, behind both kinds of stream.hpp: flow control, cancellation, end.
//
//   open ──cancel──► nobody listens ──finish──► finished
//    └───────────────────finish────────────────────►┘
//
// Threads: any. Owner: OpenStreams is the module's; a stream belongs to that table until it is
// finished, and to who answers it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "longshore/abi.h"
#include "longshore/context.hpp"
#include "longshore/result.hpp"

namespace longshore {

// What became of a message.
enum class Sent {
  kYes,            // taken
  kNoRoom,         // not taken: to be sent again when there is room
  kNobodyListens,  // not taken: cancelled, past its deadline, or finished
};

namespace detail {

class OpenStream;

// The streams that an instance is answering, by their calls.
class OpenStreams {
 public:
  std::shared_ptr<OpenStream> open(const Context& context);
  void remove(longshore_call call);

  // The instance's functions of these names.
  void writable(longshore_call call);
  void cancel(longshore_call call);

 private:
  std::shared_ptr<OpenStream> find(longshore_call call);

  std::mutex mutex_;
  std::unordered_map<longshore_call, std::shared_ptr<OpenStream>> streams_;
};

// One of them. No lock is held while the agent or a function of the module's is called: either may
// lead back here. So a `writable` may come before the `send` that it is for has returned; it is
// counted, and that send tries again.
class OpenStream : public std::enable_shared_from_this<OpenStream> {
 public:
  OpenStream(const Context& context, OpenStreams& streams) : context_(context), streams_(streams) {}

  // What a send would be answered without asking the agent, if that is known.
  std::optional<Sent> foreseen() const {
    const std::lock_guard lock(mutex_);
    return foreseen_locked();
  }

  Sent send(std::string_view message) {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (const auto sent = foreseen_locked()) return *sent;
      const uint64_t seen = rooms_;
      ++senders_;
      lock.unlock();
      const auto answer =
          context_.host()->send(context_.host(), context_.handle(), to_bytes(message));
      lock.lock();
      const bool is_last = --senders_ == 0;
      if (is_finished_) {
        lock.unlock();
        if (is_last) end(code_, text_);
        return answer == LONGSHORE_OK ? Sent::kYes : Sent::kNobodyListens;
      }
      if (answer == LONGSHORE_OK) return Sent::kYes;
      if (answer != LONGSHORE_WOULD_BLOCK) {
        is_heard_ = false;
      } else if (rooms_ == seen) {
        is_refused_ = true;
        is_room_due_ = false;
      }
    }
  }

  // Waits while there is no room. False: nobody listens any more.
  bool send_patiently(std::string_view message) {
    for (;;) {
      const Sent sent = send(message);
      if (sent != Sent::kNoRoom) return sent == Sent::kYes;
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return !is_refused_ || !is_heard_; });
    }
  }

  void on_ready(std::function<void()> function) { set(on_ready_, std::move(function)); }
  void on_cancel(std::function<void()> function) { set(on_cancel_, std::move(function)); }

  // Ends the call, unless that is done.
  void finish(StatusCode code, std::string_view text) {
    const auto keep = shared_from_this();  // the functions may own the reply that owns this
    Function ready;
    Function cancel;
    bool is_sending = false;
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(is_finished_, true)) return;
      ready.swap(on_ready_);
      cancel.swap(on_cancel_);
      is_sending = senders_ > 0;
      if (is_sending) {  // the last of them ends it: a call that is over may not be sent to
        code_ = code;
        text_ = text;
      }
    }
    // Before the end: after it the module may be destroyed, and what they hold with it.
    ready = nullptr;
    cancel = nullptr;
    if (!is_sending) end(code, text);
  }

  // The same for a reply that is given up without an outcome.
  void drop() {
    bool is_heard = false;
    {
      const std::lock_guard lock(mutex_);
      is_heard = is_heard_;
    }
    if (is_heard) {
      finish(StatusCode::kInternal, "the module gave up the stream without an outcome");
    } else {
      finish(StatusCode::kCancelled, "nobody listens any more");
    }
  }

  // From now on functions are called.
  void handler_returned() {
    {
      const std::lock_guard lock(mutex_);
      has_returned_ = true;
    }
    deliver();
  }

  // There is room after a send that was refused.
  void room() {
    {
      const std::lock_guard lock(mutex_);
      ++rooms_;
      if (!std::exchange(is_refused_, false)) return;
      is_room_due_ = true;
      changed_.notify_all();
    }
    deliver();
  }

  // Nobody listens any more. May be told twice.
  void cancel() {
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(is_cancelled_, true)) return;
      is_heard_ = false;
      is_cancel_due_ = true;
      changed_.notify_all();
    }
    deliver();
  }

 private:
  using Function = std::shared_ptr<const std::function<void()>>;

  std::optional<Sent> foreseen_locked() const {
    if (is_finished_ || !is_heard_) return Sent::kNobodyListens;
    if (is_refused_) return Sent::kNoRoom;
    return std::nullopt;
  }

  void set(Function& place, std::function<void()> function) {
    auto own = std::make_shared<const std::function<void()>>(std::move(function));
    {
      const std::lock_guard lock(mutex_);
      if (!is_finished_) place.swap(own);
    }
    deliver();
  }

  // Calls what is due, one after another: a thread that finds another at it leaves it to that.
  void deliver() {
    const auto keep = shared_from_this();  // a function may drop the reply
    std::unique_lock lock(mutex_);
    if (!has_returned_ || std::exchange(is_delivering_, true)) return;
    for (Function due = take_due(); due; due = take_due()) {
      lock.unlock();
      contain(context_.host(), *due);
      due = nullptr;  // what it holds may lead back here too
      lock.lock();
    }
    is_delivering_ = false;
  }

  // Locked.
  Function take_due() {
    if (is_finished_) return nullptr;
    if (is_cancel_due_ && on_cancel_) {
      is_cancel_due_ = false;
      return std::exchange(on_cancel_, nullptr);
    }
    if (is_room_due_ && is_heard_ && on_ready_) {
      is_room_due_ = false;
      return on_ready_;
    }
    return nullptr;
  }

  // The last that is done with the module and the agent.
  void end(StatusCode code, std::string_view text) {
    streams_.remove(context_.handle());
    detail::finish(context_, code, text);
  }

  const Context context_;
  OpenStreams& streams_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;  // for who waits for room
  Function on_ready_;
  Function on_cancel_;
  size_t senders_ = 0;       // inside of the agent
  uint64_t rooms_ = 0;       // how often there was room again
  bool is_refused_ = false;  // a send was, and there has been no room since
  bool is_heard_ = true;     // as far as is known
  bool is_cancelled_ = false;
  bool is_finished_ = false;
  bool is_room_due_ = false;    // to be told by on_ready
  bool is_cancel_due_ = false;  // to be told by on_cancel
  bool has_returned_ = false;
  bool is_delivering_ = false;
  StatusCode code_ = StatusCode::kOk;  // the outcome, where senders are still to end
  std::string text_;
};

inline std::shared_ptr<OpenStream> OpenStreams::open(const Context& context) {
  auto stream = std::make_shared<OpenStream>(context, *this);
  {
    const std::lock_guard lock(mutex_);
    streams_[context.handle()] = stream;
  }
  // A cancellation before this found nothing here.
  if (context.cancelled()) stream->cancel();
  return stream;
}

inline void OpenStreams::remove(longshore_call call) {
  std::shared_ptr<OpenStream> last;  // let go of without the lock
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(call);
  if (found == streams_.end()) return;
  last = std::move(found->second);
  streams_.erase(found);
}

inline std::shared_ptr<OpenStream> OpenStreams::find(longshore_call call) {
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(call);
  return found == streams_.end() ? nullptr : found->second;
}

inline void OpenStreams::writable(longshore_call call) {
  if (const auto stream = find(call)) stream->room();
}

inline void OpenStreams::cancel(longshore_call call) {
  if (const auto stream = find(call)) stream->cancel();
}

}  // namespace detail

}  // namespace longshore
