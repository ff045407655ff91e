/* The smallest program that liblongshore is in. */
#include <longshore/agent.h>
#include <stdio.h>

int main(void) { return puts(longshore_version()) < 0; }
