#include <stdio.h>

int main(void) {
  puts("pyptoc " PYPTOC_VERSION);
  return 0;
}
