/* Placeholder translation unit until the first shared test helper lands. */
extern int test_support_present;
int test_support_present;
