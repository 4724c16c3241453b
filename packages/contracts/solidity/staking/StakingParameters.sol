// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice What is set once and for all when the contract is made, and how time is counted.
abstract contract StakingParameters {
    struct Parameters {
        uint256 epochBlocks;
        uint256 graceBlocks;
        uint256 hourBlocks;
        uint256 dayBlocks;
        uint256 maxDowntimeDays;
        uint256 evidenceBlocks;
        uint256 unbondingBlocks;
        uint256 seats;
        uint256 minimumStake;
        uint256 rewardPerBlock;
    }

    /// @notice Blocks in an epoch. Epoch e has the blocks from e * epochBlocks on.
    uint256 public immutable epochBlocks;
    /// @notice Blocks after an epoch's first in which an attestation is in time.
    uint256 public immutable graceBlocks;
    /// @notice Blocks that count as an hour, a multiple of an epoch's.
    uint256 public immutable hourBlocks;
    /// @notice Blocks that count as a day, a multiple of an epoch's.
    uint256 public immutable dayBlocks;
    /// @notice Days of one silence that cost stake; more cost nothing more.
    uint256 public immutable maxDowntimeDays;
    /// @notice Blocks from an epoch's first in which wrong attestations of that epoch can be reported.
    uint256 public immutable evidenceBlocks;
    /// @notice Blocks between asking for stake back and getting it.
    uint256 public immutable unbondingBlocks;
    /// @notice Most validators active in an epoch.
    uint256 public immutable seats;
    /// @notice Least stake in wei that a validator enters the active set with, and that its owner leaves when it unstakes.
    uint256 public immutable minimumStake;
    /// @notice Least stake in wei that keeps a validator in the active set: 95% of `minimumStake`, rounded up. Slashes
    ///         that leave at least this much cost stake, but not the seat.
    uint256 public immutable retentionStake;
    /// @notice Wei the pool releases for each block.
    uint256 public immutable rewardPerBlock;

    uint256 private constant RETENTION_PERCENT = 95;

    error BadParameters(string reason);

    constructor(Parameters memory given) {
        if (given.epochBlocks == 0 || given.epochBlocks > type(uint32).max) revert BadParameters("epochBlocks");
        if (given.graceBlocks >= given.epochBlocks) revert BadParameters("graceBlocks");
        if (given.hourBlocks == 0 || given.hourBlocks % given.epochBlocks != 0) revert BadParameters("hourBlocks");
        if (given.dayBlocks == 0 || given.dayBlocks % given.epochBlocks != 0) revert BadParameters("dayBlocks");
        // settling takes a step for each day
        if (given.maxDowntimeDays > 365) revert BadParameters("maxDowntimeDays");
        // stake must still be here when the last evidence for its last epoch is in
        if (given.unbondingBlocks <= given.evidenceBlocks + 2 * given.epochBlocks) revert BadParameters("unbondingBlocks");
        if (given.unbondingBlocks > type(uint32).max) revert BadParameters("unbondingBlocks");
        if (given.seats == 0 || given.seats > 1000) revert BadParameters("seats");
        if (given.minimumStake == 0 || given.minimumStake > type(uint96).max) revert BadParameters("minimumStake");
        if (given.rewardPerBlock > type(uint64).max) revert BadParameters("rewardPerBlock");
        epochBlocks = given.epochBlocks;
        graceBlocks = given.graceBlocks;
        hourBlocks = given.hourBlocks;
        dayBlocks = given.dayBlocks;
        maxDowntimeDays = given.maxDowntimeDays;
        evidenceBlocks = given.evidenceBlocks;
        unbondingBlocks = given.unbondingBlocks;
        seats = given.seats;
        minimumStake = given.minimumStake;
        retentionStake = (given.minimumStake * RETENTION_PERCENT + 99) / 100;
        rewardPerBlock = given.rewardPerBlock;
    }

    /// @notice The epoch of the block this is asked in.
    function currentEpoch() public view returns (uint256) {
        return block.number / epochBlocks;
    }

    /// @notice An epoch's first block. Attestations are due from it on.
    function slotOf(uint256 epoch) public view returns (uint256) {
        return epoch * epochBlocks;
    }
}
