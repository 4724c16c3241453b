// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

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

    /// @notice Epoch e begins at block e * epochBlocks.
    uint256 public immutable epochBlocks;
    /// @notice An attestation is in time up to this many blocks after the epoch's first.
    uint256 public immutable graceBlocks;
    /// @notice Blocks per hour, a multiple of `epochBlocks`.
    uint256 public immutable hourBlocks;
    /// @notice Blocks per day, a multiple of `epochBlocks`.
    uint256 public immutable dayBlocks;
    /// @notice Maximum number of days for which one silence costs stake.
    uint256 public immutable maxDowntimeDays;
    /// @notice Blocks, from an epoch's first, in which its invalid attestations can be reported.
    uint256 public immutable evidenceBlocks;
    /// @notice Blocks between a request for stake and its payout.
    uint256 public immutable unbondingBlocks;
    /// @notice Maximum number of active validators.
    uint256 public immutable seats;
    /// @notice Wei to enter the active set, and to keep when unstaking.
    uint256 public immutable minimumStake;
    /// @notice Wei to stay in the active set after slashes: 95% of `minimumStake`, rounded up.
    uint256 public immutable retentionStake;
    /// @notice Wei released by the pool per block.
    uint256 public immutable rewardPerBlock;

    uint256 private constant RETENTION_PERCENT = 95;

    error BadParameters(string reason);

    constructor(Parameters memory given) {
        if (given.epochBlocks == 0 || given.epochBlocks > type(uint32).max) revert BadParameters("epochBlocks");
        if (given.graceBlocks >= given.epochBlocks) revert BadParameters("graceBlocks");
        if (given.hourBlocks == 0 || given.hourBlocks % given.epochBlocks != 0) revert BadParameters("hourBlocks");
        if (given.dayBlocks == 0 || given.dayBlocks % given.epochBlocks != 0) revert BadParameters("dayBlocks");
        // settling loops over the days
        if (given.maxDowntimeDays > 365) revert BadParameters("maxDowntimeDays");
        // stake must remain until evidence about the validator's last epoch expires
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

    /// @notice Returns the epoch of the current block.
    function currentEpoch() public view returns (uint256) {
        return block.number / epochBlocks;
    }

    /// @notice Returns an epoch's first block.
    function slotOf(uint256 epoch) public view returns (uint256) {
        return epoch * epochBlocks;
    }
}
