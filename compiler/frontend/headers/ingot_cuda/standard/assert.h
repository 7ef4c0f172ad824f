// assert. As everywhere, including it again applies what NDEBUG is then.
#pragma GCC system_header

#undef assert
#ifdef NDEBUG
#define assert(...) ((void)0)
#else
#define assert(...) \
  ((__VA_ARGS__)    \
       ? (void)0    \
       : __assertfail(#__VA_ARGS__, __FILE__, __LINE__, __PRETTY_FUNCTION__, sizeof(char)))
#endif
