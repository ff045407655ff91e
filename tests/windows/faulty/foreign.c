/* A DLL that Windows does not have. */
__declspec(dllexport) int foreign_function(void) { return 1; }
