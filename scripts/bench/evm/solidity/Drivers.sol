// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Pair} from "Pair.sol";
import {Token} from "Token.sol";

contract Transfers {
    uint256 private constant RECIPIENTS = 16;

    /// Returns what is left of the minted tokens.
    function run(Token token, uint256 count) external returns (uint256) {
        token.mint(address(this), 1e18);
        for (uint256 i = 0; i < count; i++) token.transfer(address(uint160(0x10000 + i % RECIPIENTS)), i);
        return token.balanceOf(address(this));
    }
}

contract Swaps {
    /// Sells both tokens alternately, and returns the reserves.
    function run(Pair pair, Token first, Token second, uint256 count) external returns (uint256, uint256) {
        first.mint(address(pair), 1e24);
        second.mint(address(pair), 1e22);
        first.mint(address(this), 1e22);
        second.mint(address(this), 1e20);
        pair.open(first, second);
        for (uint256 i = 0; i < count; i++) {
            (uint256 firstReserve, uint256 secondReserve) = (pair.firstReserve(), pair.secondReserve());
            if (i % 2 == 0) {
                first.transfer(address(pair), 1e16 + i);
                pair.swap(0, bought(1e16 + i, firstReserve, secondReserve), address(this));
            } else {
                second.transfer(address(pair), 1e14 + i);
                pair.swap(bought(1e14 + i, secondReserve, firstReserve), 0, address(this));
            }
        }
        return (pair.firstReserve(), pair.secondReserve());
    }

    function bought(uint256 paid, uint256 reserveIn, uint256 reserveOut) private pure returns (uint256) {
        uint256 afterFee = paid * 997;
        return afterFee * reserveOut / (reserveIn * 1000 + afterFee);
    }
}

contract FirstCalls {
    /// Mints on contracts at consecutive addresses.
    function run(uint160 start, uint256 count) external returns (uint256 supply) {
        for (uint160 i = 0; i < count; i++) {
            Token token = Token(address(start + i));
            token.mint(msg.sender, i + 1);
            supply += token.totalSupply();
        }
    }
}
