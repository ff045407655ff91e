// A driver's whole table against an agent: as it is, and with something that happens at each of its
// calls in turn.
//
// Each prints what it did, and is a failure of the test case where a life does not come to its end.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "tests/drivers/driver.h"
#include "tests/drivers/driver_node.h"

namespace longshore::test {

// What lives run on, one at a time.
using MakeNode = std::function<std::unique_ptr<DriverNode>()>;
struct Nodes {
  // For most lives.
  MakeNode usual;
  // Where that cannot grow: for calls about volumes that have grown. Empty if nothing can.
  MakeNode growing = {};
};

// Nothing happens. The disk grows, where it can.
void check_whole_life(const Driver& driver, const Nodes& nodes);
// The same, and the agent is killed before every call.
void check_kills_between_calls(const Driver& driver, const Nodes& nodes);
// The driver's process ends before each call of the first driver, one life for each, with
// LONGSHORE_LONG=1 of all.
void check_driver_restarts(const std::vector<Driver>& drivers, const Nodes& nodes);

// The agent is killed at each of these calls; under sanitizers at every eighth, for the agent takes
// long to start there.
//
// After it has done all, and before the driver hears of it.
void check_lost_answers(const std::vector<Driver>& drivers, const Nodes& nodes);
// While it works, at one moment of three in turn; with LONGSHORE_LONG=1 at eight moments. Some
// calls must not have been answered by then.
void check_kills_during_calls(const std::vector<Driver>& drivers, const Nodes& nodes);

// For a guest, where an agent takes long to start. Nothing happens.
void check_plain_lives(const std::vector<Driver>& drivers, const Nodes& nodes);
// One life, in which the driver's process ends before the first call of each row of the table.
void check_restarts_at_each_row(const Driver& driver, const Nodes& nodes);
// One life, in which the driver's connections break before the answer of the first call of each row
// comes, and the agent has done all.
void check_lost_answers_at_each_row(const Driver& driver, const Nodes& nodes);
// One life more, in which the agent is killed before and during the first call of each row of the
// table. Some of the calls must not have been answered by then.
void check_kills_at_each_row(const Driver& driver, const Nodes& nodes);

}  // namespace longshore::test
