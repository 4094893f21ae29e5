/* src/report/page/page.html, which cmake/embed_page.cmake makes a C source of. */
#ifndef REPORT_HTML_PAGE_H
#define REPORT_HTML_PAGE_H

extern const char html_page[];

#endif
