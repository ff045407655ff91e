#include "endpoint/activated_sockets.h"

namespace longshore::endpoint {

ActivatedSockets take_activated_sockets() { return {}; }

}  // namespace longshore::endpoint
