// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {StakeLedger} from "./StakeLedger.sol";

/// @notice A pool that anyone funds and that releases a reward per block to attesting validators.
/// @dev The first transaction that depends on an epoch closes it, also every change of the pool, so the result is the same as at
/// its end.
abstract contract StakingRewards is StakeLedger {
    struct Epoch {
        uint128 attestedWeight;
        /// Wei; 0 until the epoch is closed.
        uint128 reward;
        /// Wei of the reward already credited.
        uint128 credited;
        uint32 attesters;
        /// Number of attesters credited.
        uint32 settled;
    }

    mapping(uint256 epoch => Epoch) internal epochs;
    /// @dev The last epoch with an attestation; 0 once it is closed.
    uint256 private openEpoch;

    /// @dev Wei not released.
    uint128 internal pool;
    /// @dev Wei released but not paid out.
    uint128 internal rewardsOwed;
    /// @notice Wei released in total, less rounding returned to the pool.
    uint256 public rewardsReleased;
    /// @notice Wei not released because the pool was empty.
    uint256 public rewardsMissed;

    event PoolFunded(address indexed from, uint256 amount, uint256 pool);
    event EpochClosed(uint256 indexed epoch, uint256 reward, uint256 attestedWeight, uint256 attesters);
    event PoolShort(uint256 indexed epoch, uint256 missing);
    event RewardCredited(address indexed validator, uint256 indexed epoch, uint256 amount);
    /// @notice Rounding of an epoch's reward returned to the pool.
    event RoundingReturned(uint256 indexed epoch, uint256 amount);
    event RewardsPaid(address indexed validator, address indexed to, uint256 amount);
    /// @notice Unpaid rewards of an excluded validator returned to the pool.
    event RewardsForfeited(address indexed validator, uint256 amount);

    /// @notice Same as `fund`.
    receive() external payable {
        _fund();
    }

    /// @notice Adds the value to the pool.
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

    /// @notice Credits a validator's reward and charges its silence. Anyone may call it.
    function settle(address signingKey) external {
        _known(signingKey);
        _settle(signingKey);
    }

    /// @notice Returns all wei received by calls, which add up to the balance.
    /// @return stakes Staked.
    /// @return unbonding Requested back and not withdrawn.
    /// @return rewards Released and not paid out.
    /// @return inPool Not released.
    /// @return slashed Slashed; stays here.
    function accounts()
        external
        view
        returns (uint256 stakes, uint256 unbonding, uint256 rewards, uint256 inPool, uint256 slashed)
    {
        return (totalStake, totalUnbonding, rewardsOwed, pool, slashedPot);
    }

    /// @notice Returns the wei that the pool lacks to pay one epoch and the open one before; 0 if enough.
    function shortfall() external view returns (uint256) {
        uint256 needed = _epochReward() * (openEpoch == 0 || openEpoch == currentEpoch() ? 1 : 2);
        return pool < needed ? needed - pool : 0;
    }

    /// @notice Returns an epoch. Its reward is 0 until it is closed.
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

    /// @dev All earlier epochs are closed and the validator is credited.
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

    /// @dev Credits the last attestation if its epoch is closed.
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

    /// @dev An excluded validator is paid nothing more, also for earlier epochs.
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
