// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BlockHashes} from "./BlockHashes.sol";
import {History} from "./History.sol";
import {Ranking} from "./Ranking.sol";
import {SigningKeys} from "./SigningKeys.sol";
import {StakingParameters} from "./StakingParameters.sol";

/// @notice Whose stake is where, and who is active in which epoch because of it.
/// @dev A validator is named by the address of its signing key. What changes in an epoch counts from the next one on.
abstract contract StakeLedger is StakingParameters, BlockHashes, SigningKeys {
    using History for History.Trace;
    using Ranking for Ranking.Ranks;

    struct Validator {
        address owner;
        /// 1 for the first that registered.
        uint64 id;
        /// Lost everything, and is out for good.
        bool slashed;
        /// Lost its seat by silence, until its owner calls `rejoin`.
        bool ejected;
        address payout;
        /// Block from which what is unbonding can be had.
        uint64 availableAt;
        /// Wrong attestations reported whose price is not final.
        uint32 openOffences;
        address blockKey;
        uint128 stake;
        uint128 unbonding;
        /// Credited, not paid out.
        uint128 rewards;
        /// Weight of the last attestation while its reward is not credited.
        uint128 attestedWeight;
    }

    /// @dev What a validator did and did not, in epochs. One slot.
    struct Duty {
        /// First epoch that may count as silent.
        uint48 silentFrom;
        /// First epoch in which it is not active; the largest number while no end is known.
        uint48 activeUntil;
        /// Of the last attestation; 0 before the first.
        uint48 lastEpoch;
        /// Where the running hour of late attestations began; 0 when the last one was in time.
        uint48 lateFrom;
        /// Epochs of silence before `silentFrom`, from earlier times of being active.
        uint32 silentBefore;
        /// Days of the running silence that were paid for.
        uint32 daysPaid;
    }

    uint48 internal constant NO_END = type(uint48).max;

    mapping(address validator => Validator) internal validators;
    mapping(address validator => Duty) internal duties;
    /// @notice The validator with a number; numbers are given out from 1 on.
    mapping(uint64 id => address) public validatorOf;
    /// @notice The validator whose blocks a key signs; the zero address for none.
    mapping(address blockKey => address) public validatorOfBlockKey;
    /// @notice How many validators ever registered.
    uint64 public validatorCount;

    /// @dev Wei in all; each is the sum over validators.
    uint128 internal totalStake;
    uint128 internal totalUnbonding;
    /// @dev Wei that was slashed. It stays here: nobody gains by a slashing.
    uint128 internal slashedPot;

    Ranking.Ranks private ranks;
    mapping(address validator => History.Trace) private weights;
    History.Trace private totalWeights;

    /// @notice A new validator, to be staked.
    event ValidatorRegistered(address indexed validator, address indexed owner, uint64 id, address blockKey, address payout);
    /// @notice Rewards and stake of a validator go to another address from now on.
    event PayoutChanged(address indexed validator, address payout);
    /// @notice Stake arrived; `stake` is all of the validator's now.
    event StakeIncreased(address indexed validator, uint256 amount, uint256 stake);
    /// @notice Stake was asked back; it can be withdrawn from block `availableAt` on, and be slashed until it is.
    event StakeDecreased(address indexed validator, uint256 amount, uint256 stake, uint256 availableAt);
    /// @notice Stake left.
    event StakeWithdrawn(address indexed validator, address indexed to, uint256 amount);
    /// @notice What a validator weighs from an epoch on: its stake when it is among the first, otherwise 0.
    event WeightChanged(address indexed validator, uint256 indexed epoch, uint256 weight, uint256 totalWeight);

    /// @notice A validator was silent for `maxDowntimeDays`: from an epoch on it has no seat, until it rejoins.
    event Ejected(address indexed validator, uint256 indexed epoch);
    /// @notice The owner of an ejected validator asked for a seat again.
    event Rejoined(address indexed validator);

    error NotEjected(address validator);
    error UnknownValidator(address validator);
    error KeyTaken(address key);
    error KeyIsZero();
    error PayoutIsZero();
    error NotTheOwner(address validator, address owner);
    error SlashedForGood(address validator);
    error BelowMinimum(uint256 stake, uint256 minimum);
    error AmountIsZero();
    error AmountTooLarge(uint256 asked, uint256 there);
    error NothingToWithdraw();
    error TooEarly(uint256 possibleFromBlock);
    error OffenceOpen(address validator, uint256 count);
    error PaymentFailed(address to);

    /// @notice Registers a validator of the sender's, and stakes what is sent along.
    /// @param signingKey Address of the key that attests; the validator's name. Never to be used again.
    /// @param blockKey Address of the key that signs gossiped blocks; zero when the validator never sequences.
    /// @param payout Where rewards and stake go.
    /// @param signingProof The signing key's signature of `registrationDigest`.
    /// @param blockProof The block key's; empty when there is none.
    function register(
        address signingKey,
        address blockKey,
        address payout,
        bytes calldata signingProof,
        bytes calldata blockProof
    ) external payable {
        if (signingKey == address(0)) revert KeyIsZero();
        if (payout == address(0)) revert PayoutIsZero();
        if (validators[signingKey].owner != address(0)) revert KeyTaken(signingKey);
        bytes32 digest = registrationDigest(msg.sender, payout, signingKey, blockKey);
        if (_recover(digest, signingProof) != signingKey) revert BadSignature();
        if (blockKey != address(0)) {
            if (validatorOfBlockKey[blockKey] != address(0)) revert KeyTaken(blockKey);
            if (_recover(digest, blockProof) != blockKey) revert BadSignature();
            validatorOfBlockKey[blockKey] = signingKey;
        }
        if (anchor == bytes32(0)) anchor = _blockHash(block.number - 1);
        uint64 id = ++validatorCount;
        validatorOf[id] = signingKey;
        Validator storage validator = validators[signingKey];
        validator.owner = msg.sender;
        validator.id = id;
        validator.payout = payout;
        validator.blockKey = blockKey;
        emit ValidatorRegistered(signingKey, msg.sender, id, blockKey, payout);
        if (msg.value > 0) _stake(signingKey, validator);
    }

    /// @notice Adds the value sent along to a validator's stake. Only its owner may, so that nobody is put to duty by another.
    function stake(address signingKey) external payable {
        Validator storage validator = _ownedBySender(signingKey);
        if (validator.slashed) revert SlashedForGood(signingKey);
        if (msg.value == 0) revert AmountIsZero();
        _settle(signingKey);
        _stake(signingKey, validator);
    }

    /// @notice Asks for a part of the stake back, which must leave the minimum.
    /// @dev A second request before the first was withdrawn starts the delay of both anew.
    function unstake(address signingKey, uint256 amount) external {
        Validator storage validator = _ownedBySender(signingKey);
        _settle(signingKey);
        if (amount > validator.stake) revert AmountTooLarge(amount, validator.stake);
        uint256 left = validator.stake - amount;
        if (left < minimumStake) revert BelowMinimum(left, minimumStake);
        _unstake(signingKey, validator, amount);
    }

    /// @notice Asks for all stake back. The duty lasts to the end of the epoch.
    function exit(address signingKey) external {
        Validator storage validator = _ownedBySender(signingKey);
        _settle(signingKey);
        _unstake(signingKey, validator, validator.stake);
    }

    /// @notice Lets a validator that was ejected compete for a seat again, from the next epoch on; its silence starts
    ///         from zero. Only its owner may. Like every entry, this needs the minimum.
    function rejoin(address signingKey) external {
        Validator storage validator = _ownedBySender(signingKey);
        if (validator.slashed) revert SlashedForGood(signingKey);
        _settle(signingKey);
        if (!validator.ejected) revert NotEjected(signingKey);
        if (validator.stake < minimumStake) revert BelowMinimum(validator.stake, minimumStake);
        validator.ejected = false;
        Duty storage duty = duties[signingKey];
        duty.silentFrom = uint48(currentEpoch() + 1);
        duty.silentBefore = 0;
        duty.daysPaid = 0;
        emit Rejoined(signingKey);
        _rank(signingKey, validator);
    }

    /// @notice Pays what a validator's owner asked back to its payout address. Anyone may call it.
    function withdraw(address signingKey) external {
        Validator storage validator = _known(signingKey);
        _settle(signingKey);
        uint128 amount = validator.unbonding;
        if (amount == 0) revert NothingToWithdraw();
        if (block.number < validator.availableAt) revert TooEarly(validator.availableAt);
        if (validator.openOffences > 0) revert OffenceOpen(signingKey, validator.openOffences);
        validator.unbonding = 0;
        totalUnbonding -= amount;
        emit StakeWithdrawn(signingKey, validator.payout, amount);
        _pay(validator.payout, amount);
    }

    /// @notice Names another address for rewards and stake. Only the owner may.
    function setPayout(address signingKey, address payout) external {
        Validator storage validator = _ownedBySender(signingKey);
        if (payout == address(0)) revert PayoutIsZero();
        validator.payout = payout;
        emit PayoutChanged(signingKey, payout);
    }

    /// @notice All that is stored of a validator. Reverts for one that never registered.
    function getValidator(address signingKey) external view returns (Validator memory) {
        return _known(signingKey);
    }

    /// @notice What a validator did, in epochs.
    function getDuty(address signingKey) external view returns (Duty memory) {
        return duties[signingKey];
    }

    /// @notice What a validator weighs in an epoch, fixed at its begin: 0 when it is not active. The next epoch's can still change.
    function weightAt(address signingKey, uint256 epoch) public view returns (uint256) {
        return weights[signingKey].valueAt(epoch);
    }

    /// @notice What all active validators weigh together in an epoch.
    function totalWeightAt(uint256 epoch) public view returns (uint256) {
        return totalWeights.valueAt(epoch);
    }

    /// @notice Who is active from the next epoch on, if nothing changes before; in no order.
    function nextActiveSet() external view returns (address[] memory active) {
        uint64[] memory ids = ranks.idsWithin();
        active = new address[](ids.length);
        for (uint256 index = 0; index < ids.length; index++) active[index] = validatorOf[ids[index]];
    }

    /// @dev Brings all that depends on time alone up to date: rewards, and the price of silence.
    function _settle(address signingKey) internal virtual;

    /// @dev Epochs before `epoch` in which enough of the active stake attested for silence to count.
    function _liveBefore(uint256 epoch) internal view virtual returns (uint256);

    /// @dev Removes a validator from its seat until its owner calls `rejoin`, so that a waiting validator can take it.
    function _eject(address signingKey) internal {
        Validator storage validator = validators[signingKey];
        validator.ejected = true;
        emit Ejected(signingKey, currentEpoch() + 1);
        _rank(signingKey, validator);
    }

    /// @dev Moves slashed wei into the pot, from stake first; what is not there cannot be taken.
    function _take(address signingKey, uint256 amount) internal returns (uint256 taken) {
        Validator storage validator = validators[signingKey];
        uint128 fromStake = uint128(amount < validator.stake ? amount : validator.stake);
        uint256 rest = amount - fromStake;
        uint128 fromUnbonding = uint128(rest < validator.unbonding ? rest : validator.unbonding);
        taken = uint256(fromStake) + fromUnbonding;
        slashedPot += uint128(taken);
        if (fromUnbonding > 0) {
            validator.unbonding -= fromUnbonding;
            totalUnbonding -= fromUnbonding;
        }
        if (fromStake > 0) {
            validator.stake -= fromStake;
            totalStake -= fromStake;
            _rank(signingKey, validator);
        }
    }

    function _known(address signingKey) internal view returns (Validator storage validator) {
        validator = validators[signingKey];
        if (validator.owner == address(0)) revert UnknownValidator(signingKey);
    }

    function _pay(address to, uint256 amount) internal {
        (bool paid,) = to.call{value: amount}("");
        if (!paid) revert PaymentFailed(to);
    }

    function _ownedBySender(address signingKey) private view returns (Validator storage validator) {
        validator = _known(signingKey);
        if (validator.owner != msg.sender) revert NotTheOwner(signingKey, validator.owner);
    }

    function _stake(address signingKey, Validator storage validator) private {
        uint256 total = validator.stake + msg.value;
        if (total < minimumStake) revert BelowMinimum(total, minimumStake);
        validator.stake = uint128(total);
        totalStake += uint128(msg.value);
        emit StakeIncreased(signingKey, msg.value, total);
        _rank(signingKey, validator);
    }

    function _unstake(address signingKey, Validator storage validator, uint256 amount) private {
        if (amount == 0) revert AmountIsZero();
        uint256 availableAt = block.number + unbondingBlocks;
        validator.stake -= uint128(amount);
        validator.unbonding += uint128(amount);
        validator.availableAt = uint64(availableAt);
        totalStake -= uint128(amount);
        totalUnbonding += uint128(amount);
        emit StakeDecreased(signingKey, amount, validator.stake, availableAt);
        _rank(signingKey, validator);
    }

    /// @dev Ranks a validator after a change, and emits its weight from the next epoch on. Everything that lets a
    ///      validator enter checks `minimumStake` first, so what lies between it and `retentionStake` is left by slashes.
    function _rank(address signingKey, Validator storage validator) private {
        uint64 id = validator.id;
        uint128 amount = validator.stake;
        bool competes = amount >= retentionStake && !validator.ejected;
        (uint64 entered, uint64 left) = ranks.set(id, competes ? amount : 0, seats);
        uint256 next = currentEpoch() + 1;
        if (left != 0) {
            _weigh(validatorOf[left], next, 0);
            duties[validatorOf[left]].activeUntil = uint48(next);
        }
        if (entered != 0) {
            address newcomer = validatorOf[entered];
            _weigh(newcomer, next, validators[newcomer].stake);
            _activate(newcomer, next);
        } else if (left == 0 && ranks.isWithin(id)) {
            _weigh(signingKey, next, amount);
        }
    }

    /// @dev Silence goes on where it was when a validator was active before; epochs in between do not count.
    function _activate(address signingKey, uint256 next) private {
        Duty storage duty = duties[signingKey];
        if (duty.activeUntil != next) {
            if (duty.activeUntil > duty.silentFrom) {
                duty.silentBefore += uint32(_liveBefore(duty.activeUntil) - _liveBefore(duty.silentFrom));
            }
            duty.silentFrom = uint48(next);
        }
        duty.activeUntil = NO_END;
    }

    function _weigh(address signingKey, uint256 epoch, uint256 weight) private {
        History.Trace storage trace = weights[signingKey];
        uint256 total = totalWeights.latest() + weight - trace.latest();
        trace.write(epoch, weight);
        totalWeights.write(epoch, total);
        emit WeightChanged(signingKey, epoch, weight, total);
    }
}
