// systemd's journal as the place where standard error goes.
#pragma once

namespace longshore::observe {

// Whether standard error is what systemd has connected to the journal, which notes the time of each
// line itself and takes its severity from "<4>" at the line's begin.
bool standard_error_is_journal();

}  // namespace longshore::observe
