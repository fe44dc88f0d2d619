/* malloc for guarded.py, by LD_PRELOAD: after guard(1) every larger block lies between pages that no one may touch, and ends
   at the one behind it (but for alignment); a block that was freed may not be touched either. Addresses are never used again. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

enum { PAGE = 4096, LEAST = 512, ALIGN = 16 };
static const size_t SPACE = (size_t)1 << 40;
static char *space;     /* never touched but for the blocks in it */
static size_t *sizes;   /* of the block whose first page this is */
static size_t taken;    /* pages */
static int on;

int guard(int wanted) {
    if (!space) {
        int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        space = mmap(NULL, SPACE, PROT_NONE, flags, -1, 0);
        sizes = mmap(NULL, SPACE / PAGE * sizeof *sizes, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (space == MAP_FAILED || sizes == MAP_FAILED) return -1;
    }
    on = wanted;
    return (int)taken;
}

static size_t pages(size_t size) { return (size + ALIGN + PAGE - 1) / PAGE; }
static int guarded(const void *block) { return space && (size_t)((const char *)block - space) < SPACE; }
static size_t first(const void *block) { return (size_t)((const char *)block - space) / PAGE; }

void *malloc(size_t size) {
    if (!on || size < LEAST) return __libc_malloc(size);
    size_t page = __atomic_fetch_add(&taken, pages(size) + 1, __ATOMIC_RELAXED) + 1;
    char *start = space + page * PAGE, *end = start + pages(size) * PAGE;
    if (end + PAGE > space + SPACE || mprotect(start, end - start, PROT_READ | PROT_WRITE)) return NULL;
    char *block = end - (size + ALIGN - 1) / ALIGN * ALIGN;
    sizes[first(block)] = size;
    return block;
}

void *calloc(size_t count, size_t size) {
    size_t whole;
    if (__builtin_mul_overflow(count, size, &whole)) return NULL;
    return on && whole >= LEAST ? malloc(whole) : __libc_calloc(count, size);
}

void free(void *block) {
    if (!guarded(block)) { __libc_free(block); return; }
    size_t page = first(block), length = (sizes[page] + ALIGN - 1) / ALIGN * ALIGN;
    char *start = space + page * PAGE, *end = (char *)block + length;
    madvise(start, end - start, MADV_DONTNEED);
    mprotect(start, end - start, PROT_NONE);
}

void *realloc(void *block, size_t size) {
    if (!guarded(block)) return __libc_realloc(block, size);
    size_t had = sizes[first(block)];
    void *moved = malloc(size);
    if (moved) { memcpy(moved, block, had < size ? had : size); free(block); }
    return moved;
}

size_t malloc_usable_size(void *block) {
    if (guarded(block)) return sizes[first(block)];
    return ((size_t (*)(void *))dlsym(RTLD_NEXT, "malloc_usable_size"))(block);
}
