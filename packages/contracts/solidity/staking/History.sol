// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice A number that changes at most once per epoch, with its past values.
library History {
    struct Point {
        uint64 epoch;
        uint192 value;
    }

    struct Trace {
        Point[] points;
    }

    /// @notice `epoch` must not precede that of the last write.
    function write(Trace storage trace, uint256 epoch, uint256 value) internal {
        uint256 count = trace.points.length;
        if (count > 0 && trace.points[count - 1].epoch == epoch) trace.points[count - 1].value = uint192(value);
        else trace.points.push(Point(uint64(epoch), uint192(value)));
    }

    /// @notice Returns the last write, possibly for a future epoch.
    function latest(Trace storage trace) internal view returns (uint256) {
        uint256 count = trace.points.length;
        return count == 0 ? 0 : trace.points[count - 1].value;
    }

    /// @notice Returns the value in an epoch in O(log n); the last two points are tried before the search.
    function valueAt(Trace storage trace, uint256 epoch) internal view returns (uint256) {
        uint256 high = trace.points.length;
        for (uint256 back = 0; back < 2 && high > 0; back++) {
            Point memory point = trace.points[--high];
            if (point.epoch <= epoch) return point.value;
        }
        uint256 low = 0;
        while (low < high) {
            uint256 middle = (low + high) / 2;
            if (trace.points[middle].epoch <= epoch) low = middle + 1;
            else high = middle;
        }
        return low == 0 ? 0 : trace.points[low - 1].value;
    }
}
