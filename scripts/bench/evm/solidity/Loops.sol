// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Loops in checked arithmetic, memory and hashes, as the compiler emits them.
contract Loops {
    function arithmetic(uint256 rounds) external pure returns (uint256 value) {
        value = 1;
        for (uint256 i = 0; i < rounds; i++) {
            value = ((value & 0xffffffff) * (i + 3) + 7) ^ (value >> 13);
        }
    }

    function sieve(uint256 limit) external pure returns (uint256 primes) {
        bool[] memory composite = new bool[](limit + 1);
        for (uint256 i = 2; i <= limit; i++) {
            if (composite[i]) continue;
            primes++;
            for (uint256 j = i * i; j <= limit; j += i) composite[j] = true;
        }
    }

    function hashes(uint256 count) external pure returns (bytes32 hash) {
        for (uint256 i = 0; i < count; i++) hash = keccak256(abi.encodePacked(hash, i));
    }
}
