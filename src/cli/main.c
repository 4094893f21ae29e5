#include <stdio.h>

int main(void)
{
    puts("linchpin " LP_VERSION);
    return 0;
}
