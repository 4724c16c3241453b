// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface StandardBridge {
    function depositETHTo(address to, uint32 minGasLimit, bytes calldata extraData) external payable;
}

/// @title Deposit entry
/// @notice Deposits through the L1 standard bridge on a development L1, at the bridge's address on L2.
contract DepositEntry {
    /// @notice Minimum deposit in wei.
    uint256 public constant MINIMUM = 0.01 ether;
    StandardBridge public immutable bridge;

    error BelowMinimum(uint256 sent, uint256 minimum);
    error NotFromAContract(address sender);

    constructor(StandardBridge bridge_) {
        bridge = bridge_;
    }

    /// @notice Deposits the value to the sender's own address on L2.
    /// @dev A contract's address may be another contract on L2, so it must name the receiver at the bridge.
    /// @param _minGasLimit Gas for the call on L2.
    /// @param _extraData Emitted on both chains.
    function depositETH(uint32 _minGasLimit, bytes calldata _extraData) external payable {
        if (msg.sender != tx.origin) revert NotFromAContract(msg.sender);
        if (msg.value < MINIMUM) revert BelowMinimum(msg.value, MINIMUM);
        bridge.depositETHTo{value: msg.value}(msg.sender, _minGasLimit, _extraData);
    }
}
