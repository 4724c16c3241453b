// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BlockHashes} from "./BlockHashes.sol";
import {History} from "./History.sol";
import {Ranking} from "./Ranking.sol";
import {SigningKeys} from "./SigningKeys.sol";
import {StakingParameters} from "./StakingParameters.sol";

/// @notice Stake, and the active validators of each epoch.
/// @dev A signing key's address identifies a validator. Changes in an epoch apply from the next one on.
abstract contract StakeLedger is StakingParameters, BlockHashes, SigningKeys {
    using History for History.Trace;
    using Ranking for Ranking.Ranks;

    struct Validator {
        address owner;
        /// Validator ids start at 1.
        uint64 id;
        bool slashed;
        /// Lost its seat through silence, until `rejoin`.
        bool ejected;
        address payout;
        /// Block from which unbonding stake can be withdrawn.
        uint64 availableAt;
        /// Invalid attestations whose penalty is not final.
        uint32 openOffences;
        address blockKey;
        uint128 stake;
        uint128 unbonding;
        /// Wei credited but not paid out.
        uint128 rewards;
        /// Weight of the last attestation until its reward is credited.
        uint128 attestedWeight;
    }

    /// @dev The uint48 fields are epochs.
    struct Duty {
        /// First epoch that can count as silent.
        uint48 silentFrom;
        /// First epoch after the active time; the maximum value while active.
        uint48 activeUntil;
        /// Zero before the first attestation.
        uint48 lastEpoch;
        /// Begin of the current hour of late attestations; 0 if the last one was in time.
        uint48 lateFrom;
        /// Silent epochs in earlier active periods.
        uint32 silentBefore;
        /// Days of the current silence already charged.
        uint32 daysPaid;
    }

    uint48 internal constant NO_END = type(uint48).max;

    mapping(address validator => Validator) internal validators;
    mapping(address validator => Duty) internal duties;
    /// @notice Validator ids start at 1.
    mapping(uint64 id => address) public validatorOf;
    mapping(address blockKey => address) public validatorOfBlockKey;
    /// @notice Number of validators, including former ones.
    uint64 public validatorCount;

    uint128 internal totalStake;
    uint128 internal totalUnbonding;
    /// @dev Slashed wei stays in the contract, so that nobody profits from a slashing.
    uint128 internal slashedPot;

    Ranking.Ranks private ranks;
    mapping(address validator => History.Trace) private weights;
    History.Trace private totalWeights;

    event ValidatorRegistered(address indexed validator, address indexed owner, uint64 id, address blockKey, address payout);
    event PayoutChanged(address indexed validator, address payout);
    event StakeIncreased(address indexed validator, uint256 amount, uint256 stake);
    /// @notice The amount can be slashed until block `availableAt`, and withdrawn from then on.
    event StakeDecreased(address indexed validator, uint256 amount, uint256 stake, uint256 availableAt);
    event StakeWithdrawn(address indexed validator, address indexed to, uint256 amount);
    /// @notice `weight` applies from `epoch` on: the stake of a validator with a seat, otherwise 0.
    event WeightChanged(address indexed validator, uint256 indexed epoch, uint256 weight, uint256 totalWeight);

    /// @notice A validator was silent for `maxDowntimeDays` and has no seat until `rejoin`.
    event Ejected(address indexed validator, uint256 indexed epoch);
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

    /// @notice Registers a validator of the sender and stakes the value.
    /// @param signingKey Address of the attesting key, which identifies the validator. Never reusable.
    /// @param blockKey Address of the key that signs gossiped blocks, or zero.
    /// @param payout Receives rewards and stake.
    /// @param signingProof Signature of `registrationDigest` by the signing key.
    /// @param blockProof Signature by the block key; empty without one.
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

    /// @notice Adds the value to a validator's stake. Owner only, so that nobody else can put it on duty.
    function stake(address signingKey) external payable {
        Validator storage validator = _ownedBySender(signingKey);
        if (validator.slashed) revert SlashedForGood(signingKey);
        if (msg.value == 0) revert AmountIsZero();
        _settle(signingKey);
        _stake(signingKey, validator);
    }

    /// @notice Requests part of the stake back. The rest must be at least the minimum.
    /// @dev A second request restarts the delay of both.
    function unstake(address signingKey, uint256 amount) external {
        Validator storage validator = _ownedBySender(signingKey);
        _settle(signingKey);
        if (amount > validator.stake) revert AmountTooLarge(amount, validator.stake);
        uint256 left = validator.stake - amount;
        if (left < minimumStake) revert BelowMinimum(left, minimumStake);
        _unstake(signingKey, validator, amount);
    }

    /// @notice Requests all stake back. The duty ends with the epoch.
    function exit(address signingKey) external {
        Validator storage validator = _ownedBySender(signingKey);
        _settle(signingKey);
        _unstake(signingKey, validator, validator.stake);
    }

    /// @notice Lets an ejected validator compete for a seat from the next epoch on, with its silence reset. Requires the minimum
    /// stake. Owner only.
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

    /// @notice Pays the stake requested back to the payout address. Anyone may call it.
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

    /// @notice Sets the address for rewards and stake. Owner only.
    function setPayout(address signingKey, address payout) external {
        Validator storage validator = _ownedBySender(signingKey);
        if (payout == address(0)) revert PayoutIsZero();
        validator.payout = payout;
        emit PayoutChanged(signingKey, payout);
    }

    /// @notice Returns a validator. Reverts for an unknown one.
    function getValidator(address signingKey) external view returns (Validator memory) {
        return _known(signingKey);
    }

    /// @notice Returns a validator's duty record in epochs.
    function getDuty(address signingKey) external view returns (Duty memory) {
        return duties[signingKey];
    }

    /// @notice Returns a validator's weight in an epoch; 0 if inactive. The next epoch's can still change.
    function weightAt(address signingKey, uint256 epoch) public view returns (uint256) {
        return weights[signingKey].valueAt(epoch);
    }

    /// @notice Returns the total weight in an epoch.
    function totalWeightAt(uint256 epoch) public view returns (uint256) {
        return totalWeights.valueAt(epoch);
    }

    /// @notice Returns the validators that would be active in the next epoch, unordered.
    function nextActiveSet() external view returns (address[] memory active) {
        uint64[] memory ids = ranks.idsWithin();
        active = new address[](ids.length);
        for (uint256 index = 0; index < ids.length; index++) active[index] = validatorOf[ids[index]];
    }

    /// @dev Applies rewards and the penalty of silence.
    function _settle(address signingKey) internal virtual;

    /// @dev Counts epochs before `epoch` in which enough of the active stake attested for silence to count.
    function _liveBefore(uint256 epoch) internal view virtual returns (uint256);

    function _eject(address signingKey) internal {
        Validator storage validator = validators[signingKey];
        validator.ejected = true;
        emit Ejected(signingKey, currentEpoch() + 1);
        _rank(signingKey, validator);
    }

    /// @dev Moves up to `amount` wei into the pot, from the stake first.
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

    /// @dev Every entry requires `minimumStake`, so only slashes leave less, down to `retentionStake`.
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

    /// @dev Silence continues from an earlier active time; epochs in between do not count.
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
