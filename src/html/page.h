/* src/html/page/page.html, which cmake/embed_page.cmake makes a C source of. */
#ifndef HTML_PAGE_H
#define HTML_PAGE_H

extern const char html_page[];

#endif
