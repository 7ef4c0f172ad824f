#define LIBRARY 2
