/* Loaded before oclgrind 21.10, whose --uninitialized keeps what it knows of a released buffer, its size too, for the next
   buffer that gets the same number, and takes what lies beyond that size for uninitialized. So no buffer is released. */
int clReleaseMemObject(void *buffer) { return buffer ? 0 : -38; /* CL_INVALID_MEM_OBJECT */ }
