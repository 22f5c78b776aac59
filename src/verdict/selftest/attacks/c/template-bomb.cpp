// Twice as many at every level.
template <int N, int M> struct Tree {
    static const int left = Tree<N - 1, 2 * M>::size, right = Tree<N - 1, 2 * M + 1>::size;
    static const int size = left + right;
};
template <int M> struct Tree<0, M> {
    static const int size = M;
};
int grown = Tree<28, 1>::size;
