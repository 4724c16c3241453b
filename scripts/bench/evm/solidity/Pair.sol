// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Token} from "Token.sol";

/// A constant-product market of two tokens with a fee of 0.3 %. The caller pays in before it calls.
contract Pair {
    uint256 private constant FEE_PER_MILLE = 3;

    Token public first;
    Token public second;
    uint112 public firstReserve;
    uint112 public secondReserve;
    uint32 public updatedAt;
    /// Sums of price times seconds, with 112 fractional bits.
    uint256 public firstPriceSum;
    uint256 public secondPriceSum;
    uint256 private locked;

    event Swapped(address indexed buyer, uint256 firstIn, uint256 secondIn, uint256 firstOut, uint256 secondOut, address indexed to);
    event Reserves(uint112 first, uint112 second);

    error Locked();
    error TooMuch(uint256 wanted, uint256 reserve);
    error Underpaid(uint256 product, uint256 needed);
    error TransferFailed();

    modifier lock() {
        if (locked != 0) revert Locked();
        locked = 1;
        _;
        locked = 0;
    }

    function open(Token first_, Token second_) external {
        (first, second) = (first_, second_);
        _update(first_.balanceOf(address(this)), second_.balanceOf(address(this)));
    }

    function swap(uint256 firstOut, uint256 secondOut, address to) external lock {
        (uint256 firstBefore, uint256 secondBefore) = (firstReserve, secondReserve);
        if (firstOut >= firstBefore) revert TooMuch(firstOut, firstBefore);
        if (secondOut >= secondBefore) revert TooMuch(secondOut, secondBefore);
        if (firstOut > 0 && !first.transfer(to, firstOut)) revert TransferFailed();
        if (secondOut > 0 && !second.transfer(to, secondOut)) revert TransferFailed();
        uint256 firstAfter = first.balanceOf(address(this));
        uint256 secondAfter = second.balanceOf(address(this));
        uint256 firstIn = firstAfter + firstOut - firstBefore;
        uint256 secondIn = secondAfter + secondOut - secondBefore;
        uint256 product = (firstAfter * 1000 - firstIn * FEE_PER_MILLE) * (secondAfter * 1000 - secondIn * FEE_PER_MILLE);
        uint256 needed = firstBefore * secondBefore * 1000 ** 2;
        if (product < needed) revert Underpaid(product, needed);
        _update(firstAfter, secondAfter);
        emit Swapped(msg.sender, firstIn, secondIn, firstOut, secondOut, to);
    }

    function _update(uint256 firstBalance, uint256 secondBalance) private {
        if (firstBalance > type(uint112).max) revert TooMuch(firstBalance, type(uint112).max);
        if (secondBalance > type(uint112).max) revert TooMuch(secondBalance, type(uint112).max);
        unchecked {
            uint256 elapsed = uint32(block.timestamp) - updatedAt;
            if (elapsed > 0 && firstReserve != 0 && secondReserve != 0) {
                firstPriceSum += (uint256(secondReserve) << 112) / firstReserve * elapsed;
                secondPriceSum += (uint256(firstReserve) << 112) / secondReserve * elapsed;
            }
        }
        (firstReserve, secondReserve, updatedAt) = (uint112(firstBalance), uint112(secondBalance), uint32(block.timestamp));
        emit Reserves(uint112(firstBalance), uint112(secondBalance));
    }
}
