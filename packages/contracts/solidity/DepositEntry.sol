// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice The part of the L1 standard bridge that a deposit needs.
interface StandardBridge {
    function depositETHTo(address to, uint32 minGasLimit, bytes calldata extraData) external payable;
}

/// @title Deposit entry
/// @notice On a development parent chain, the way in at the address that the standard bridge has on L2:
///         it refuses what is too small, and hands the rest to the L1 standard bridge.
contract DepositEntry {
    /// @notice Least wei of a deposit.
    uint256 public constant MINIMUM = 0.01 ether;
    /// @notice The L1 standard bridge.
    StandardBridge public immutable bridge;

    error BelowMinimum(uint256 sent, uint256 minimum);
    error NotFromAContract(address sender);

    constructor(StandardBridge bridge_) {
        bridge = bridge_;
    }

    /// @notice Deposits the value sent along to the sender's own address on L2.
    /// @dev A contract's address on L2 need not be the same contract: such a sender names the receiver, at the bridge.
    /// @param _minGasLimit Gas for what happens on L2.
    /// @param _extraData Kept in the events of both chains.
    function depositETH(uint32 _minGasLimit, bytes calldata _extraData) external payable {
        if (msg.sender != tx.origin) revert NotFromAContract(msg.sender);
        if (msg.value < MINIMUM) revert BelowMinimum(msg.value, MINIMUM);
        bridge.depositETHTo{value: msg.value}(msg.sender, _minGasLimit, _extraData);
    }
}
