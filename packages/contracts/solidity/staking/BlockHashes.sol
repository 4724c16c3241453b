// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Hashes of blocks, as far back as the chain tells.
abstract contract BlockHashes {
    /// @notice Contract of EIP-2935: hashes of the last 8191 blocks.
    address public constant BLOCK_HASHES = 0x0000F90827F1C53a10cb7A02335B175320002935;

    error CheckpointNotServed(uint256 number);

    /// @dev Blocks from before that contract was filled read as zero, and are no evidence of anything.
    function _blockHash(uint256 number) internal view returns (bytes32 hash) {
        (bool served, bytes memory answer) = BLOCK_HASHES.staticcall(abi.encode(number));
        if (served && answer.length == 32) hash = abi.decode(answer, (bytes32));
        if (hash == bytes32(0)) revert CheckpointNotServed(number);
    }
}
