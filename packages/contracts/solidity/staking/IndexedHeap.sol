// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice A min-heap that removes any entry in O(log n).
/// @dev The lowest 64 bits of an entry are its unique tag.
library IndexedHeap {
    struct Heap {
        uint256[] keys;
        /// Position in `keys` + 1; 0 when absent.
        mapping(uint64 tag => uint256) places;
    }

    function size(Heap storage heap) internal view returns (uint256) {
        return heap.keys.length;
    }

    /// @dev The heap must not be empty.
    function top(Heap storage heap) internal view returns (uint256) {
        return heap.keys[0];
    }

    function contains(Heap storage heap, uint64 tag) internal view returns (bool) {
        return heap.places[tag] != 0;
    }

    function insert(Heap storage heap, uint256 key) internal {
        heap.keys.push(key);
        _rise(heap, heap.keys.length - 1, key);
    }

    /// @dev Replaces the entry with the tag of `key`, which must be in the heap.
    function change(Heap storage heap, uint256 key) internal {
        _settle(heap, heap.places[uint64(key)] - 1, key);
    }

    function exchangeTop(Heap storage heap, uint256 key) internal returns (uint256 old) {
        old = heap.keys[0];
        delete heap.places[uint64(old)];
        _sink(heap, 0, key);
    }

    /// @dev The entry must be in the heap.
    function remove(Heap storage heap, uint64 tag) internal {
        uint256 place = heap.places[tag] - 1;
        delete heap.places[tag];
        uint256 last = heap.keys[heap.keys.length - 1];
        heap.keys.pop();
        if (place < heap.keys.length) _settle(heap, place, last);
    }

    function _settle(Heap storage heap, uint256 place, uint256 key) private {
        if (place > 0 && key < heap.keys[(place - 1) / 2]) _rise(heap, place, key);
        else _sink(heap, place, key);
    }

    function _rise(Heap storage heap, uint256 place, uint256 key) private {
        while (place > 0) {
            uint256 above = heap.keys[(place - 1) / 2];
            if (above <= key) break;
            _put(heap, place, above);
            place = (place - 1) / 2;
        }
        _put(heap, place, key);
    }

    function _sink(Heap storage heap, uint256 place, uint256 key) private {
        uint256 count = heap.keys.length;
        while (2 * place + 1 < count) {
            uint256 child = 2 * place + 1;
            uint256 below = heap.keys[child];
            if (child + 1 < count && heap.keys[child + 1] < below) below = heap.keys[++child];
            if (key <= below) break;
            _put(heap, place, below);
            place = child;
        }
        _put(heap, place, key);
    }

    function _put(Heap storage heap, uint256 place, uint256 key) private {
        heap.keys[place] = key;
        heap.places[uint64(key)] = place + 1;
    }
}
