/* Sets as sorted lists, as they are in the papers (the names are those of their authors, or of what
 * they do with locks), for tests of proofs. */
#ifndef TESTS_SUPPORT_HEAP_LISTS_H
#define TESTS_SUPPORT_HEAP_LISTS_H

/* Heller, Herlihy, Luchangco, Moir, Scherer and Shavit, OPODIS 2005. */
#define LAZY                                                                                       \
    "impl lazy_list{\n"                                                                            \
    "struct node { int(0..3) key; bool marked; bool locked; node next; }\n"                        \
    "shared node head;\n"                                                                          \
    "init {\n"                                                                                     \
    "head = new node;\n"                                                                           \
    "head.next = new node;\n"                                                                      \
    "head.next.key = 3;\n"                                                                         \
    "}\n"                                                                                          \
    "op add(int(1..2) k) {\n"                                                                      \
    "while (true) {\n"                                                                             \
    "node p = head;\n"                                                                             \
    "node c = p.next;\n"                                                                           \
    "while (c.key < k) {\n"                                                                        \
    "p = c;\n"                                                                                     \
    "c = c.next;\n"                                                                                \
    "}\n"                                                                                          \
    "lock(p.locked);\n"                                                                            \
    "lock(c.locked);\n"                                                                            \
    "bool valid = true;\n"                                                                         \
    "{\n"                                                                                          \
    "if (p.marked) valid = false;\n"                                                               \
    "if (c.marked) valid = false;\n"                                                               \
    "if (p.next != c) valid = false;\n"                                                            \
    "}\n"                                                                                          \
    "if (valid) {\n"                                                                               \
    "bool there = c.key == k;\n"                                                                   \
    "if (!there) {\n"                                                                              \
    "node n = new node;\n"                                                                         \
    "n.key = k;\n"                                                                                 \
    "n.next = c;\n"                                                                                \
    "p.next = n;\n"                                                                                \
    "}\n"                                                                                          \
    "unlock(c.locked);\n"                                                                          \
    "unlock(p.locked);\n"                                                                          \
    "return !there;\n"                                                                             \
    "}\n"                                                                                          \
    "unlock(c.locked);\n"                                                                          \
    "unlock(p.locked);\n"                                                                          \
    "}\n"                                                                                          \
    "}\n"                                                                                          \
    "op remove(int(1..2) k) {\n"                                                                   \
    "while (true) {\n"                                                                             \
    "node p = head;\n"                                                                             \
    "node c = p.next;\n"                                                                           \
    "while (c.key < k) {\n"                                                                        \
    "p = c;\n"                                                                                     \
    "c = c.next;\n"                                                                                \
    "}\n"                                                                                          \
    "lock(p.locked);\n"                                                                            \
    "lock(c.locked);\n"                                                                            \
    "bool valid = true;\n"                                                                         \
    "{\n"                                                                                          \
    "if (p.marked) valid = false;\n"                                                               \
    "if (c.marked) valid = false;\n"                                                               \
    "if (p.next != c) valid = false;\n"                                                            \
    "}\n"                                                                                          \
    "if (valid) {\n"                                                                               \
    "bool there = c.key == k;\n"                                                                   \
    "if (there) {\n"                                                                               \
    "c.marked = true;\n"                                                                           \
    "node n = c.next;\n"                                                                           \
    "p.next = n;\n"                                                                                \
    "}\n"                                                                                          \
    "unlock(c.locked);\n"                                                                          \
    "unlock(p.locked);\n"                                                                          \
    "return there;\n"                                                                              \
    "}\n"                                                                                          \
    "unlock(c.locked);\n"                                                                          \
    "unlock(p.locked);\n"                                                                          \
    "}\n"                                                                                          \
    "}\n"                                                                                          \
    "op contains(int(1..2) k) {\n"                                                                 \
    "node c = head;\n"                                                                             \
    "while (c.key < k) c = c.next;\n"                                                              \
    "if (c.key != k) return false;\n"                                                              \
    "return !c.marked;\n"                                                                          \
    "}\n"                                                                                          \
    "}\n"

/* Harris, DISC 2001, with the search of Michael. */
#define HARRIS_MICHAEL                                                                             \
    "impl harris_list{\n"                                                                          \
    "struct node { int(0..3) key; link after; }\n"                                                 \
    "record link { node next; bool marked; }\n"                                                    \
    "record place { node left; node right; }\n"                                                    \
    "shared node head;\n"                                                                          \
    "init {\n"                                                                                     \
    "head = new node;\n"                                                                           \
    "node tail = new node;\n"                                                                      \
    "tail.key = 3;\n"                                                                              \
    "head.after = link(tail, false);\n"                                                            \
    "}\n"                                                                                          \
    "place search(int k) {\n"                                                                      \
    "while (true) {\n"                                                                             \
    "node left = head;\n"                                                                          \
    "link x = left.after;\n"                                                                       \
    "node right = x.next;\n"                                                                       \
    "while (true) {\n"                                                                             \
    "link y = right.after;\n"                                                                      \
    "if (y.marked) {\n"                                                                            \
    "if (!cas(left.after, link(right, false), link(y.next, false))) break;\n"                      \
    "right = y.next;\n"                                                                            \
    "} else {\n"                                                                                   \
    "if (right.key >= k) return place(left, right);\n"                                             \
    "left = right;\n"                                                                              \
    "right = y.next;\n"                                                                            \
    "}\n"                                                                                          \
    "}\n"                                                                                          \
    "}\n"                                                                                          \
    "}\n"                                                                                          \
    "op add(int(1..2) k) {\n"                                                                      \
    "while (true) {\n"                                                                             \
    "place at = search(k);\n"                                                                      \
    "node p = at.left;\n"                                                                          \
    "node c = at.right;\n"                                                                         \
    "if (c.key == k) return false;\n"                                                              \
    "node n = new node;\n"                                                                         \
    "n.key = k;\n"                                                                                 \
    "n.after = link(c, false);\n"                                                                  \
    "if (cas(p.after, link(c, false), link(n, false))) return true;\n"                             \
    "}\n"                                                                                          \
    "}\n"                                                                                          \
    "op remove(int(1..2) k) {\n"                                                                   \
    "while (true) {\n"                                                                             \
    "place at = search(k);\n"                                                                      \
    "node p = at.left;\n"                                                                          \
    "node c = at.right;\n"                                                                         \
    "if (c.key != k) return false;\n"                                                              \
    "link y = c.after;\n"                                                                          \
    "if (y.marked) continue;\n"                                                                    \
    "if (1 == 1 && !cas(c.after, y, link(y.next, true))) continue;\n"                              \
    "bool out = cas(p.after, link(c, false), link(y.next, false));\n"                              \
    "if (1 == 0 && !out) continue;\n"                                                              \
    "return true;\n"                                                                               \
    "}\n"                                                                                          \
    "}\n"                                                                                          \
    "op contains(int(1..2) k) {\n"                                                                 \
    "node c = head;\n"                                                                             \
    "while (c.key < k) {\n"                                                                        \
    "link x = c.after;\n"                                                                          \
    "c = x.next;\n"                                                                                \
    "}\n"                                                                                          \
    "if (c.key != k) return false;\n"                                                              \
    "if (1 == 0) return true;\n"                                                                   \
    "link x = c.after;\n"                                                                          \
    "return !x.marked;\n"                                                                          \
    "}\n"                                                                                          \
    "}\n"

/* Michael, SPAA 2002. */
#define MICHAEL                                                                                    \
    "impl michael {\n"                                                                             \
    "struct node { int(0..3) key; link after; }\n"                                                 \
    "record link { node next; bool marked; }\n"                                                    \
    "record place { node left; node right; }\n"                                                    \
    "shared node head;\n"                                                                          \
    "init { head = new node; node tail = new node; tail.key = 3; head.after = link(tail, false); " \
    "}\n"                                                                                          \
    "place find(int k) {\n"                                                                        \
    "while (true) {\n"                                                                             \
    "node prev = head;\n"                                                                          \
    "link x = prev.after;\n"                                                                       \
    "node cur = x.next;\n"                                                                         \
    "while (true) {\n"                                                                             \
    "link y = cur.after;\n"                                                                        \
    "if (prev.after != link(cur, false)) break;\n"                                                 \
    "if (y.marked) {\n"                                                                            \
    "if (!cas(prev.after, link(cur, false), link(y.next, false))) break;\n"                        \
    "cur = y.next;\n"                                                                              \
    "} else {\n"                                                                                   \
    "if (cur.key >= k) return place(prev, cur);\n"                                                 \
    "prev = cur;\n"                                                                                \
    "cur = y.next;\n"                                                                              \
    "}\n"                                                                                          \
    "}\n"                                                                                          \
    "}\n"                                                                                          \
    "}\n"                                                                                          \
    "op add(int(1..2) k) {\n"                                                                      \
    "node n = new node;\n"                                                                         \
    "n.key = k;\n"                                                                                 \
    "while (true) {\n"                                                                             \
    "place at = find(k);\n"                                                                        \
    "node p = at.left; node c = at.right;\n"                                                       \
    "if (c.key == k) return false;\n"                                                              \
    "n.after = link(c, false);\n"                                                                  \
    "if (cas(p.after, link(c, false), link(n, false))) return true;\n"                             \
    "}\n"                                                                                          \
    "}\n"                                                                                          \
    "op remove(int(1..2) k) {\n"                                                                   \
    "while (true) {\n"                                                                             \
    "place at = find(k);\n"                                                                        \
    "node p = at.left; node c = at.right;\n"                                                       \
    "if (c.key != k) return false;\n"                                                              \
    "link y = c.after;\n"                                                                          \
    "if (y.marked) continue;\n"                                                                    \
    "if (!cas(c.after, y, link(y.next, true))) continue;\n"                                        \
    "if (!cas(p.after, link(c, false), link(y.next, false))) at = find(k);\n"                      \
    "return true;\n"                                                                               \
    "}\n"                                                                                          \
    "}\n"                                                                                          \
    "op contains(int(1..2) k) { place at = find(k); node c = at.right; return c.key == k; }\n"     \
    "}\n"

/* Harris, DISC 2001. */
#define HARRIS                                                                                     \
    "impl harris {\n"                                                                              \
    "struct node { int(0..3) key; link after; }\n"                                                 \
    "record link { node next; bool marked; }\n"                                                    \
    "record place { node left; node right; }\n"                                                    \
    "shared node head;\n"                                                                          \
    "init { head = new node; node tail = new node; tail.key = 3; head.after = link(tail, false); " \
    "}\n"                                                                                          \
    "place search(int k) {\n"                                                                      \
    "while (true) {\n"                                                                             \
    "node left = null; node left_next = null;\n"                                                   \
    "node t = head;\n"                                                                             \
    "link x = t.after;\n"                                                                          \
    "do {\n"                                                                                       \
    "if (!x.marked) { left = t; left_next = x.next; }\n"                                           \
    "t = x.next;\n"                                                                                \
    "if (t.key == 3) break;\n"                                                                     \
    "x = t.after;\n"                                                                               \
    "} while (x.marked || t.key < k);\n"                                                           \
    "node right = t;\n"                                                                            \
    "if (left_next == right) {\n"                                                                  \
    "link z = right.after;\n"                                                                      \
    "if (right.key != 3 && z.marked) continue;\n"                                                  \
    "return place(left, right);\n"                                                                 \
    "}\n"                                                                                          \
    "if (cas(left.after, link(left_next, false), link(right, false))) {\n"                         \
    "link z = right.after;\n"                                                                      \
    "if (right.key != 3 && z.marked) continue;\n"                                                  \
    "return place(left, right);\n"                                                                 \
    "}\n"                                                                                          \
    "}\n"                                                                                          \
    "}\n"                                                                                          \
    "op add(int(1..2) k) {\n"                                                                      \
    "node n = new node;\n"                                                                         \
    "n.key = k;\n"                                                                                 \
    "while (true) {\n"                                                                             \
    "place at = search(k);\n"                                                                      \
    "node p = at.left; node c = at.right;\n"                                                       \
    "if (c.key == k) return false;\n"                                                              \
    "n.after = link(c, false);\n"                                                                  \
    "if (cas(p.after, link(c, false), link(n, false))) return true;\n"                             \
    "}\n"                                                                                          \
    "}\n"                                                                                          \
    "op remove(int(1..2) k) {\n"                                                                   \
    "place at; node c; link y;\n"                                                                  \
    "while (true) {\n"                                                                             \
    "at = search(k);\n"                                                                            \
    "c = at.right;\n"                                                                              \
    "if (c.key != k) return false;\n"                                                              \
    "y = c.after;\n"                                                                               \
    "if (!y.marked) if (cas(c.after, y, link(y.next, true))) break;\n"                             \
    "}\n"                                                                                          \
    "node p = at.left;\n"                                                                          \
    "if (!cas(p.after, link(c, false), link(y.next, false))) at = search(k);\n"                    \
    "return true;\n"                                                                               \
    "}\n"                                                                                          \
    "op contains(int(1..2) k) { place at = search(k); node c = at.right; return c.key == k; }\n"   \
    "}\n"

/* Herlihy and Shavit, The Art of Multiprocessor Programming, chapter 9, as the next one. */
#define HAND_OVER_HAND                                                                             \
    "impl hoh {\n"                                                                                 \
    "struct node { int(0..3) key; bool locked; node next; }\n"                                     \
    "shared node head;\n"                                                                          \
    "init { head = new node; head.next = new node; head.next.key = 3; }\n"                         \
    "op add(int(1..2) k) {\n"                                                                      \
    "node p = head;\n"                                                                             \
    "lock(p.locked);\n"                                                                            \
    "node c = p.next;\n"                                                                           \
    "lock(c.locked);\n"                                                                            \
    "while (c.key < k) { unlock(p.locked); p = c; c = p.next; lock(c.locked); }\n"                 \
    "bool there = c.key == k;\n"                                                                   \
    "if (!there) { node n = new node; n.key = k; n.next = c; p.next = n; }\n"                      \
    "unlock(c.locked);\n"                                                                          \
    "unlock(p.locked);\n"                                                                          \
    "return !there;\n"                                                                             \
    "}\n"                                                                                          \
    "op remove(int(1..2) k) {\n"                                                                   \
    "node p = head;\n"                                                                             \
    "lock(p.locked);\n"                                                                            \
    "node c = p.next;\n"                                                                           \
    "lock(c.locked);\n"                                                                            \
    "while (c.key < k) { unlock(p.locked); p = c; c = p.next; lock(c.locked); }\n"                 \
    "bool there = c.key == k;\n"                                                                   \
    "if (there) { node y = c.next; p.next = y; }\n"                                                \
    "unlock(c.locked);\n"                                                                          \
    "unlock(p.locked);\n"                                                                          \
    "return there;\n"                                                                              \
    "}\n"                                                                                          \
    "op contains(int(1..2) k) {\n"                                                                 \
    "node p = head;\n"                                                                             \
    "lock(p.locked);\n"                                                                            \
    "node c = p.next;\n"                                                                           \
    "lock(c.locked);\n"                                                                            \
    "while (c.key < k) { unlock(p.locked); p = c; c = p.next; lock(c.locked); }\n"                 \
    "bool there = c.key == k;\n"                                                                   \
    "unlock(c.locked);\n"                                                                          \
    "unlock(p.locked);\n"                                                                          \
    "return there;\n"                                                                              \
    "}\n"                                                                                          \
    "}\n"

#define OPTIMISTIC                                                                                 \
    "impl optimistic {\n"                                                                          \
    "struct node { int(0..3) key; bool locked; node next; }\n"                                     \
    "record place { node left; node right; }\n"                                                    \
    "shared node head;\n"                                                                          \
    "init { head = new node; head.next = new node; head.next.key = 3; }\n"                         \
    "bool validate(node p, node c) {\n"                                                            \
    "node x = head;\n"                                                                             \
    "int g = p.key; while (x.key <= g) {\n"                                                        \
    "if (x == p) return p.next == c;\n"                                                            \
    "x = x.next;\n"                                                                                \
    "}\n"                                                                                          \
    "return false;\n"                                                                              \
    "}\n"                                                                                          \
    "op add(int(1..2) k) {\n"                                                                      \
    "while (true) {\n"                                                                             \
    "node p = head; node c = p.next;\n"                                                            \
    "while (c.key < k) { p = c; c = c.next; }\n"                                                   \
    "lock(p.locked); lock(c.locked);\n"                                                            \
    "if (validate(p, c)) {\n"                                                                      \
    "bool there = c.key == k;\n"                                                                   \
    "if (!there) { node n = new node; n.key = k; n.next = c; p.next = n; }\n"                      \
    "unlock(c.locked); unlock(p.locked);\n"                                                        \
    "return !there;\n"                                                                             \
    "}\n"                                                                                          \
    "unlock(c.locked); unlock(p.locked);\n"                                                        \
    "}\n"                                                                                          \
    "}\n"                                                                                          \
    "op remove(int(1..2) k) {\n"                                                                   \
    "while (true) {\n"                                                                             \
    "node p = head; node c = p.next;\n"                                                            \
    "while (c.key < k) { p = c; c = c.next; }\n"                                                   \
    "lock(p.locked); lock(c.locked);\n"                                                            \
    "if (validate(p, c)) {\n"                                                                      \
    "bool there = c.key == k;\n"                                                                   \
    "if (there) { node y = c.next; p.next = y; }\n"                                                \
    "unlock(c.locked); unlock(p.locked);\n"                                                        \
    "return there;\n"                                                                              \
    "}\n"                                                                                          \
    "unlock(c.locked); unlock(p.locked);\n"                                                        \
    "}\n"                                                                                          \
    "}\n"                                                                                          \
    "op contains(int(1..2) k) {\n"                                                                 \
    "while (true) {\n"                                                                             \
    "node p = head; node c = p.next;\n"                                                            \
    "while (c.key < k) { p = c; c = c.next; }\n"                                                   \
    "lock(p.locked); lock(c.locked);\n"                                                            \
    "if (validate(p, c)) {\n"                                                                      \
    "bool there = c.key == k;\n"                                                                   \
    "unlock(c.locked); unlock(p.locked);\n"                                                        \
    "return there;\n"                                                                              \
    "}\n"                                                                                          \
    "unlock(c.locked); unlock(p.locked);\n"                                                        \
    "}\n"                                                                                          \
    "}\n"                                                                                          \
    "}\n"

#endif
