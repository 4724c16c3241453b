// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface StandardBridge {
    function depositETHTo(address to, uint32 minGasLimit, bytes calldata extraData) external payable;
}

/// @title Deposit entry
/// @notice Forwards deposits to the L1 standard bridge of a development L1. It has the address that the bridge has on L2.
contract DepositEntry {
    /// @notice Minimum deposit in wei.
    uint256 public constant MINIMUM = 0.01 ether;
    StandardBridge public immutable bridge;

    error BelowMinimum(uint256 sent, uint256 minimum);
    error NotFromAContract(address sender);

    constructor(StandardBridge bridge_) {
        bridge = bridge_;
    }

    /// @notice Deposits the sent value to the sender's own address on L2.
    /// @dev A contract's address may belong to another contract on L2, so contracts must call the bridge and name a receiver.
    /// @param _minGasLimit Gas for the call on L2.
    /// @param _extraData Emitted on both chains.
    function depositETH(uint32 _minGasLimit, bytes calldata _extraData) external payable {
        if (msg.sender != tx.origin) revert NotFromAContract(msg.sender);
        if (msg.value < MINIMUM) revert BelowMinimum(msg.value, MINIMUM);
        bridge.depositETHTo{value: msg.value}(msg.sender, _minGasLimit, _extraData);
    }
}
