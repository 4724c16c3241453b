// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {StakeLedger} from "./StakeLedger.sol";

/// @notice A pool anyone fills, which releases a reward for each block to those who did their duty.
/// @dev Nothing happens with a block: an epoch is closed when the first transaction after it needs to know. Everything
///      that changes the pool closes first, so the result is as if it had been closed at its end.
abstract contract StakingRewards is StakeLedger {
    struct Epoch {
        /// Weight of those who attested.
        uint128 attestedWeight;
        /// Wei released to them; 0 until the epoch is closed.
        uint128 reward;
        /// Wei of that which is credited to validators.
        uint128 credited;
        uint32 attesters;
        /// How many of those are credited.
        uint32 settled;
    }

    mapping(uint256 epoch => Epoch) internal epochs;
    /// @dev The last epoch somebody attested in, until it is closed; then 0.
    uint256 private openEpoch;

    /// @dev Wei that is released to nobody yet.
    uint128 internal pool;
    /// @dev Wei that is released and not paid out: credited to validators, or about to be.
    uint128 internal rewardsOwed;
    /// @notice Wei released to validators so far, without what came back as rounding.
    uint256 public rewardsReleased;
    /// @notice Wei that should have been released so far and was not there.
    uint256 public rewardsMissed;

    /// @notice Value came in for the pool, from anyone.
    event PoolFunded(address indexed from, uint256 amount, uint256 pool);
    /// @notice An epoch in which somebody attested was paid.
    event EpochClosed(uint256 indexed epoch, uint256 reward, uint256 attestedWeight, uint256 attesters);
    /// @notice The pool had less than an epoch's reward.
    event PoolShort(uint256 indexed epoch, uint256 missing);
    /// @notice A validator's part of an epoch's reward.
    event RewardCredited(address indexed validator, uint256 indexed epoch, uint256 amount);
    /// @notice What was left of an epoch's reward by rounding, once all its validators were credited, is back in the pool.
    event RoundingReturned(uint256 indexed epoch, uint256 amount);
    event RewardsPaid(address indexed validator, address indexed to, uint256 amount);
    /// @notice Rewards that a slashed-out validator had not been paid are back in the pool.
    event RewardsForfeited(address indexed validator, uint256 amount);

    /// @notice The same as `fund`.
    receive() external payable {
        _fund();
    }

    /// @notice Puts the value sent along into the pool.
    function fund() external payable {
        _fund();
    }

    /// @notice Pays a validator's rewards to its payout address. Anyone may call it.
    function claimRewards(address signingKey) external {
        Validator storage validator = _known(signingKey);
        _settle(signingKey);
        uint128 amount = validator.rewards;
        if (amount == 0) revert NothingToWithdraw();
        validator.rewards = 0;
        rewardsOwed -= amount;
        emit RewardsPaid(signingKey, validator.payout, amount);
        _pay(validator.payout, amount);
    }

    /// @notice Brings a validator up to date: credits its reward, takes what its silence costs. Anyone may call it.
    function settle(address signingKey) external {
        _known(signingKey);
        _settle(signingKey);
    }

    /// @notice Where every wei is that came in by a call of this contract; together they are its balance.
    /// @return stakes Staked, of all validators.
    /// @return unbonding Asked back, not withdrawn.
    /// @return rewards Released to validators, not paid out.
    /// @return inPool To be released.
    /// @return slashed Lost by validators; it stays here.
    function accounts()
        external
        view
        returns (uint256 stakes, uint256 unbonding, uint256 rewards, uint256 inPool, uint256 slashed)
    {
        return (totalStake, totalUnbonding, rewardsOwed, pool, slashedPot);
    }

    /// @notice Wei the pool lacks to pay one epoch, and the open one before; 0 when it has enough.
    function shortfall() external view returns (uint256) {
        uint256 needed = _epochReward() * (openEpoch == 0 || openEpoch == currentEpoch() ? 1 : 2);
        return pool < needed ? needed - pool : 0;
    }

    /// @notice Who attested in an epoch, and what they got. The reward is 0 until the epoch is closed.
    function getEpoch(uint256 epoch) external view returns (Epoch memory) {
        return epochs[epoch];
    }

    function _fund() private {
        _closeEpoch();
        pool += uint128(msg.value);
        emit PoolFunded(msg.sender, msg.value, pool);
    }

    function _epochReward() private view returns (uint256) {
        return rewardPerBlock * epochBlocks;
    }

    /// @dev Counts an attestation of the current epoch, all before being closed and the validator credited.
    function _earn(address signingKey, uint256 epoch, uint256 weight) internal {
        Epoch storage current = epochs[epoch];
        if (current.attesters == 0) openEpoch = epoch;
        current.attesters += 1;
        current.attestedWeight += uint128(weight);
        validators[signingKey].attestedWeight = uint128(weight);
    }

    function _closeEpoch() internal {
        uint256 epoch = openEpoch;
        if (epoch == 0 || epoch == currentEpoch()) return;
        openEpoch = 0;
        uint256 full = _epochReward();
        uint256 reward = pool < full ? pool : full;
        Epoch storage closed = epochs[epoch];
        closed.reward = uint128(reward);
        pool -= uint128(reward);
        rewardsOwed += uint128(reward);
        rewardsReleased += reward;
        emit EpochClosed(epoch, reward, closed.attestedWeight, closed.attesters);
        if (reward == full) return;
        rewardsMissed += full - reward;
        emit PoolShort(epoch, full - reward);
    }

    /// @dev Credits the last attestation once its epoch is closed.
    function _credit(address signingKey) internal {
        Validator storage validator = validators[signingKey];
        uint256 weight = validator.attestedWeight;
        uint256 epoch = duties[signingKey].lastEpoch;
        if (weight == 0 || epoch == currentEpoch()) return;
        Epoch storage closed = epochs[epoch];
        uint256 amount = (closed.reward * weight) / closed.attestedWeight;
        validator.attestedWeight = 0;
        validator.rewards += uint128(amount);
        closed.credited += uint128(amount);
        closed.settled += 1;
        emit RewardCredited(signingKey, epoch, amount);
        if (validator.slashed) _forfeitRewards(signingKey, validator);
        if (closed.settled < closed.attesters) return;
        uint128 left = closed.reward - closed.credited;
        if (left == 0) return;
        _returnToPool(left);
        emit RoundingReturned(epoch, left);
    }

    /// @dev A slashed-out validator is paid nothing more, neither for the epoch of the offence nor for earlier ones.
    function _forfeitRewards(address signingKey, Validator storage validator) internal {
        uint128 amount = validator.rewards;
        if (amount == 0) return;
        validator.rewards = 0;
        _returnToPool(amount);
        emit RewardsForfeited(signingKey, amount);
    }

    function _returnToPool(uint128 amount) private {
        rewardsOwed -= amount;
        rewardsReleased -= amount;
        pool += amount;
    }
}
