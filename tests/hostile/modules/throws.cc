// The part of throws.c that C cannot say.
extern "C" void throw_something(void);
void throw_something() { throw 7; }
