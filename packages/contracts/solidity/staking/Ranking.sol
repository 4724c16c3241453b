// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IndexedHeap} from "./IndexedHeap.sol";

/// @notice The validators with the highest stake. A change moves at most one in and one out, in O(log n).
/// @dev For equal stake, the lower number ranks higher. One heap has the lowest of those within on top, the other the highest of
/// those waiting.
library Ranking {
    using IndexedHeap for IndexedHeap.Heap;

    struct Ranks {
        IndexedHeap.Heap within;
        /// Inverted keys, so that the highest is on top.
        IndexedHeap.Heap waiting;
    }

    /// @param id Not zero.
    /// @param stake Zero removes the validator.
    /// @return entered Id that entered the active set, or zero.
    /// @return left Id that left the active set, or zero.
    function set(Ranks storage ranks, uint64 id, uint128 stake, uint256 seats) internal returns (uint64 entered, uint64 left) {
        uint256 key = _key(id, stake);
        if (ranks.within.contains(~id)) {
            if (stake != 0) {
                ranks.within.change(key);
                return _exchange(ranks);
            }
            ranks.within.remove(~id);
            left = id;
            if (ranks.waiting.size() == 0) return (0, left);
            key = ~ranks.waiting.top();
            entered = _id(key);
            ranks.waiting.remove(entered);
            ranks.within.insert(key);
        } else if (ranks.waiting.contains(id)) {
            if (stake == 0) {
                ranks.waiting.remove(id);
                return (0, 0);
            }
            ranks.waiting.change(~key);
            return _exchange(ranks);
        } else if (stake != 0) {
            if (ranks.within.size() < seats) {
                ranks.within.insert(key);
                return (id, 0);
            }
            ranks.waiting.insert(~key);
            return _exchange(ranks);
        }
    }

    function isWithin(Ranks storage ranks, uint64 id) internal view returns (bool) {
        return ranks.within.contains(~id);
    }

    function idsWithin(Ranks storage ranks) internal view returns (uint64[] memory ids) {
        ids = new uint64[](ranks.within.size());
        for (uint256 index = 0; index < ids.length; index++) ids[index] = _id(ranks.within.keys[index]);
    }

    /// @dev Only the changed entry can be in the wrong heap, so one exchange is enough.
    function _exchange(Ranks storage ranks) private returns (uint64 entered, uint64 left) {
        if (ranks.waiting.size() == 0) return (0, 0);
        uint256 lowest = ranks.within.top();
        uint256 highest = ~ranks.waiting.top();
        if (highest < lowest) return (0, 0);
        ranks.within.exchangeTop(highest);
        ranks.waiting.exchangeTop(~lowest);
        return (_id(highest), _id(lowest));
    }

    function _key(uint64 id, uint128 stake) private pure returns (uint256) {
        return (uint256(stake) << 64) | uint64(~id);
    }

    function _id(uint256 key) private pure returns (uint64) {
        return ~uint64(key);
    }
}
