// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Parses a gossiped block: parent beacon block root and payload in SSZ (versions 3 and 4).
/// @dev Reads only the block's place. The block need not be valid.
library SignedBlock {
    error NoSignedBlock(string reason);

    uint256 private constant PAYLOAD = 32;
    uint256 private constant BLOCK_NUMBER = PAYLOAD + 404;
    uint256 private constant EXTRA_DATA_OFFSET = PAYLOAD + 436;
    uint256 private constant TRANSACTIONS_OFFSET = PAYLOAD + 504;
    uint256 private constant FIXED_BYTES_VERSION_3 = 528;
    uint256 private constant FIXED_BYTES_VERSION_4 = 560;
    bytes1 private constant DEPOSIT = 0x7e;
    bytes1 private constant BYTES_32 = 0xa0;

    /// @return number Height.
    /// @return parent Hash of the parent block.
    /// @return sourceHash Of the L1 info deposit. It identifies the L1 origin and the sequence number.
    function read(bytes calldata signed) internal pure returns (uint256 number, bytes32 parent, bytes32 sourceHash) {
        if (signed.length < PAYLOAD + FIXED_BYTES_VERSION_3) revert NoSignedBlock("too short");
        uint256 fixedBytes = _littleEndian(signed, EXTRA_DATA_OFFSET, 4);
        if (fixedBytes != FIXED_BYTES_VERSION_3 && fixedBytes != FIXED_BYTES_VERSION_4) revert NoSignedBlock("version");
        number = _littleEndian(signed, BLOCK_NUMBER, 8);
        parent = bytes32(signed[PAYLOAD:PAYLOAD + 32]);
        uint256 transactions = PAYLOAD + _littleEndian(signed, TRANSACTIONS_OFFSET, 4);
        if (transactions + 4 > signed.length) revert NoSignedBlock("no transactions");
        uint256 first = transactions + _littleEndian(signed, transactions, 4);
        if (first + 38 > signed.length || signed[first] != DEPOSIT) revert NoSignedBlock("no deposit at the start");
        uint256 list = uint8(signed[first + 1]);
        // a deposit's RLP list is long enough that this prefix states how many bytes hold its length
        if (list < 0xf8 || list > 0xfb) revert NoSignedBlock("no deposit at the start");
        uint256 source = first + 2 + (list - 0xf7);
        if (signed[source] != BYTES_32) revert NoSignedBlock("no deposit at the start");
        if (source + 33 > signed.length) revert NoSignedBlock("too short");
        sourceHash = bytes32(signed[source + 1:source + 33]);
    }

    function _littleEndian(bytes calldata data, uint256 start, uint256 count) private pure returns (uint256 value) {
        for (uint256 index = count; index > 0; index--) value = (value << 8) | uint8(data[start + index - 1]);
    }
}
