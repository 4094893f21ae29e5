/* Placeholder until the first report lands. */
extern int report_placeholder;
int report_placeholder;
