// Asks many, of whom some may never answer, and gathers the answers of those who do.
//
// What reads a disk may hang where nothing ends it but the disk. So each is asked on a thread of
// its own, one for a key at most. Who comes while one is asked shares the next question with all
// who came meanwhile: an answer is never older than who gets it. Who has not answered for as long
// as anybody waits is left out at once, by all who come, until he answers; and as one who once was
// so slow is waited for a moment only the next time, until he answers in time again.
//
// Threads: any number at once. Owner: on destruction it waits for what still hangs.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace longshore::support {

template <typename Subject, typename Answer>
class ScatterGather {
 public:
  using Clock = std::chrono::steady_clock;
  // Owns all that it needs: it may outlive who asks. What it throws is no answer.
  using Ask = std::function<std::optional<Answer>(const Subject&)>;
  using KeyOf = std::function<std::string(const Subject&)>;

  // `patience`: how long anybody waits for one answer.
  ScatterGather(Ask ask, KeyOf key_of, Clock::duration patience)
      : ask_(std::move(ask)), key_of_(std::move(key_of)), patience_(patience) {}
  ScatterGather(const ScatterGather&) = delete;
  ScatterGather& operator=(const ScatterGather&) = delete;
  ~ScatterGather() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return running_ == 0; });
    join_ended(lock);
  }

  // In the order of the subjects; nothing of those that do not answer in time. It takes no longer
  // than the patience, and a moment for each that is slow.
  std::vector<std::optional<Answer>> gather(const std::vector<Subject>& subjects) {
    std::vector<std::optional<Answer>> answers(subjects.size());
    std::unique_lock lock(mutex_);
    const uint64_t came = last_number_;
    const Clock::time_point end = Clock::now() + patience_;
    // One that is slow is waited for when all others have been asked. They get their time though
    // many are slow.
    std::vector<size_t> slow;
    for (size_t i = 0; i < subjects.size(); ++i) {
      answers[i] = await(lock, subjects[i], came, Clock::now() + kMoment);
      if (!answers[i]) slow.push_back(i);
    }
    for (const size_t i : slow) answers[i] = await(lock, subjects[i], came, end);
    join_ended(lock);
    return answers;
  }

 private:
  static constexpr std::chrono::milliseconds kMoment{100};

  struct Question {
    uint64_t number = 0;
    Clock::time_point begin;
    Clock::time_point end;  // nobody waits any longer
    bool is_over = false;
    std::optional<Answer> answer;
    std::list<std::thread> thread;  // its own, until it is over
  };

  // Of a subject that is asked, has somebody waiting, or was slow.
  struct Entry {
    std::shared_ptr<Question> question;  // null: none runs
    std::shared_ptr<Question> last;      // the one before, for those who wait
    size_t waiting = 0;
    bool is_slow = false;
  };
  using Entries = std::map<std::string, Entry>;

  // Keeps the entry as long as somebody waits. The lock is held at both ends.
  class Wait {
   public:
    Wait(Entries& entries, const std::string& key)
        : entries_(entries), entry_(entries.try_emplace(key).first) {
      ++entry_->second.waiting;
    }
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    ~Wait() {
      --entry_->second.waiting;
      forget_unneeded(entries_, entry_);
    }
    Entry& entry() { return entry_->second; }

   private:
    Entries& entries_;
    const typename Entries::iterator entry_;
  };

  static void forget_unneeded(Entries& entries, typename Entries::iterator entry) {
    Entry& it = entry->second;
    if (it.waiting != 0) return;
    it.last = nullptr;
    if (!it.question && !it.is_slow) entries.erase(entry);
  }

  // To a question that was begun after `came`. Nothing also if there was none.
  std::optional<Answer> await(std::unique_lock<std::mutex>& lock, const Subject& subject,
                              uint64_t came, Clock::time_point end) {
    const std::string key = key_of_(subject);
    Wait wait(entries_, key);
    Entry& entry = wait.entry();
    while (!entry.last || entry.last->number <= came) {
      if (!entry.question && !begin(entry, subject, key)) return std::nullopt;
      const std::shared_ptr<Question> question = entry.question;
      const auto last = std::min(end, question->end);
      if (!changed_.wait_until(lock, last, [&] { return question->is_over; })) return std::nullopt;
    }
    return entry.last->answer;
  }

  // False: there is no thread to be had.
  bool begin(Entry& entry, const Subject& subject, const std::string& key) {
    const auto question = std::make_shared<Question>();
    question->number = ++last_number_;
    question->begin = Clock::now();
    question->end = question->begin + (entry.is_slow ? Clock::duration(kMoment) : patience_);
    try {
      question->thread.emplace_back(
          [this, question, subject, key] { put(*question, subject, key); });
    } catch (const std::system_error&) {
      return false;
    }
    entry.question = question;
    ++running_;
    return true;
  }

  // On the question's own thread. Nothing is allocated here but by who is asked.
  void put(Question& question, const Subject& subject, const std::string& key) {
    std::optional<Answer> answer;
    try {
      answer = ask_(subject);
    } catch (...) {  // out of memory
    }
    const std::lock_guard lock(mutex_);
    question.answer = std::move(answer);
    question.is_over = true;
    const auto entry = entries_.find(key);
    entry->second.last = std::move(entry->second.question);
    entry->second.is_slow = Clock::now() - question.begin >= patience_;
    forget_unneeded(entries_, entry);
    ended_.splice(ended_.end(), question.thread);
    --running_;
    changed_.notify_all();
  }

  // Leaves without the lock.
  void join_ended(std::unique_lock<std::mutex>& lock) {
    std::list<std::thread> ended = std::exchange(ended_, {});
    lock.unlock();
    for (std::thread& thread : ended) thread.join();
  }

  const Ask ask_;
  const KeyOf key_of_;
  const Clock::duration patience_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Entries entries_;
  size_t running_ = 0;
  std::list<std::thread> ended_;
  uint64_t last_number_ = 0;
};

}  // namespace longshore::support
