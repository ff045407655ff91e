// What `longshorectl top` makes of two readings of the agent's figures.
#pragma once

#include "longshore/admin/v1.pb.h"
#include "longshore/ctl/v1.pb.h"
#include "tools/longshorectl/paint.h"

namespace longshore::ctl {

// The rates between two readings. An agent that has started anew in between, and a module that was
// not there before, count from zero.
v1::TopSample sample_between(const admin::v1::GetCallFiguresResponse& before,
                             const admin::v1::GetCallFiguresResponse& now);

// As a table, the busiest methods first; modules stay in their order.
PrintedText top_table(const v1::TopSample& sample, bool by_method, const Paint& paint);

}  // namespace longshore::ctl
