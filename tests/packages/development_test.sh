#!/bin/bash
# The packages longshore-dev and liblongshore0: what they install is enough to build and test a
# module, and a program that links the library.
. /test/common.sh

dpkg -i /debs/*.deb
for package in longshore longshore-dev liblongshore0; do
  said=$(dpkg --verify $package)
  [ -z "$said" ] || fail "dpkg says: $said"
done
[ -z "$(dpkg --audit)" ]

echo '== A module of the template'
cp -r /usr/share/longshore/template /tmp/module
cmake -G Ninja -S /tmp/module -B /tmp/module-build
cmake --build /tmp/module-build
(cd /tmp/module-build && ctest --output-on-failure --no-tests=error)

echo '== A program with the library'
ldconfig -p | grep -q 'liblongshore\.so\.0' || fail 'the library was not made known to the linker'
cat > /tmp/program.c << 'END'
#include <longshore/agent.h>
#include <stdio.h>

int main(void) {
  puts(longshore_version());
  return 0;
}
END
gcc -Wall -Werror -o /tmp/program /tmp/program.c $(pkg-config --cflags --libs longshore)
[ "$(/tmp/program)" = "$(dpkg-query -W -f '${Version}' liblongshore0 | cut -d- -f1)" ]

echo '== Purge'
dpkg -P longshore-dev liblongshore0
ldconfig -p | grep liblongshore && fail 'the linker still knows the library'
exit 0
