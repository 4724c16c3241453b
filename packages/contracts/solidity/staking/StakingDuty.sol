// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {History} from "./History.sol";
import {StakingRewards} from "./StakingRewards.sol";

/// @notice The duty to attest once per epoch in time, and the penalties for long failures.
abstract contract StakingDuty is StakingRewards {
    using History for History.Trace;

    enum Offence {
        DoubleAttestation,
        DoubleBlock,
        InvalidAttestation,
        Downtime,
        LateAttestations
    }

    /// @notice Thirds of the active stake that must attest for an epoch to be live. Silence costs stake only in live epochs.
    /// @dev Honest validators cannot attest while finality stops. With a lower share, a dishonest minority that attests to
    /// non-final blocks would make them pay.
    uint256 public constant LIVE_THIRDS = 2;
    uint256 private constant DOWNTIME_PARTS = 1000;
    uint256 private constant LATE_PARTS = 10_000;
    uint256 private constant MAX_L1_ORIGIN = 2 ** 53 - 1;

    History.Trace private liveEpochs;

    /// @notice Contains all signed fields and the signature, so that anyone can compare attestations; `lateBlocks` counts from
    /// the epoch's first block.
    event Attested(
        address indexed validator,
        uint256 indexed epoch,
        uint256 checkpointNumber,
        bytes32 checkpointHash,
        uint256 weight,
        uint256 lateBlocks,
        uint256 l1OriginNumber,
        bytes32 l1OriginHash,
        bytes signature
    );
    /// @notice `epoch` is that of the offence, or the current one for silence and lateness.
    event Slashed(address indexed validator, Offence indexed offence, uint256 indexed epoch, uint256 amount);

    error WrongEpoch(uint256 given, uint256 current);
    error L1OriginTooLarge(uint256 given, uint256 largest);
    error CheckpointTooNew(uint256 given, uint256 slot);
    error WrongCheckpoint(uint256 number, bytes32 given, bytes32 actual);
    error NotActive(address validator, uint256 epoch);
    error AlreadyAttested(address validator, uint256 epoch);

    /// @notice Records a validator's attestation of the current epoch. Anyone may submit it.
    /// @dev An attestation that reverts here may be evidence for `reportInvalidAttestation`. The L1 origin is not checked,
    /// because this chain does not keep old ones; its number must fit into 53 bits for JSON.
    /// @param attestation To a block before the epoch's first, and among the last 8191.
    /// @param signature Of `attestationDigest`, with a low s.
    function attest(Attestation calldata attestation, bytes calldata signature) external {
        uint256 epoch = currentEpoch();
        if (attestation.epoch != epoch) revert WrongEpoch(attestation.epoch, epoch);
        uint256 number = attestation.checkpointNumber;
        if (number >= slotOf(epoch)) revert CheckpointTooNew(number, slotOf(epoch));
        bytes32 actual = _blockHash(number);
        if (attestation.checkpointHash != actual) revert WrongCheckpoint(number, attestation.checkpointHash, actual);
        if (attestation.l1OriginNumber > MAX_L1_ORIGIN) revert L1OriginTooLarge(attestation.l1OriginNumber, MAX_L1_ORIGIN);
        address signingKey = _recoverCanonical(attestationDigest(attestation), signature);
        if (_known(signingKey).slashed) revert SlashedForGood(signingKey);
        uint256 weight = weightAt(signingKey, epoch);
        if (weight == 0) revert NotActive(signingKey, epoch);
        if (duties[signingKey].lastEpoch == epoch) revert AlreadyAttested(signingKey, epoch);
        _settle(signingKey);
        _earn(signingKey, epoch, weight);
        _enliven(epoch, weight);
        uint256 lateBlocks = block.number - slotOf(epoch);
        _emitAttested(signingKey, attestation, signature, weight, lateBlocks);
        _breakSilence(signingKey, epoch, lateBlocks);
    }

    /// @notice Returns the number of live epochs before `epoch`.
    function liveEpochsBefore(uint256 epoch) external view returns (uint256) {
        return _liveBefore(epoch);
    }

    /// @notice Returns the live epochs since a validator's last attestation in which it was active and silent.
    function silentEpochs(address signingKey) public view returns (uint256) {
        Duty memory duty = duties[signingKey];
        uint256 until = currentEpoch();
        if (duty.activeUntil < until) until = duty.activeUntil;
        if (until <= duty.silentFrom) return duty.silentBefore;
        return duty.silentBefore + _liveBefore(until) - _liveBefore(duty.silentFrom);
    }

    function _settle(address signingKey) internal override {
        _closeEpoch();
        _credit(signingKey);
        uint256 day = duties[signingKey].daysPaid;
        uint256 due = (silentEpochs(signingKey) * epochBlocks) / dayBlocks;
        if (due > maxDowntimeDays) due = maxDowntimeDays;
        if (due <= day) return;
        duties[signingKey].daysPaid = uint32(due);
        // eject before slashing, so that the ranking changes only once
        if (due == maxDowntimeDays) _eject(signingKey);
        // per day, so that the penalty does not depend on the time of settlement
        uint256 bonded = _bonded(signingKey);
        uint256 left = bonded;
        for (; day < due; day++) left -= left / DOWNTIME_PARTS;
        _slash(signingKey, Offence.Downtime, currentEpoch(), bonded - left);
    }

    function _liveBefore(uint256 epoch) internal view override returns (uint256) {
        return liveEpochs.valueAt(epoch);
    }

    function _slash(address signingKey, Offence offence, uint256 epoch, uint256 amount) internal {
        emit Slashed(signingKey, offence, epoch, _take(signingKey, amount));
    }

    function _bonded(address signingKey) internal view returns (uint256) {
        return uint256(validators[signingKey].stake) + validators[signingKey].unbonding;
    }

    /// @dev Separate because of the compiler's stack limit.
    function _emitAttested(
        address signingKey,
        Attestation calldata attestation,
        bytes calldata signature,
        uint256 weight,
        uint256 lateBlocks
    ) private {
        emit Attested(
            signingKey,
            attestation.epoch,
            attestation.checkpointNumber,
            attestation.checkpointHash,
            weight,
            lateBlocks,
            attestation.l1OriginNumber,
            attestation.l1OriginHash,
            signature
        );
    }

    function _enliven(uint256 epoch, uint256 weight) private {
        uint256 attested = epochs[epoch].attestedWeight;
        uint256 total = totalWeightAt(epoch);
        uint256 needed = total * LIVE_THIRDS;
        if (attested * 3 < needed || (attested - weight) * 3 >= needed) return;
        liveEpochs.write(epoch + 1, liveEpochs.latest() + 1);
    }

    /// @dev Slashes after an hour in which every attestation was late and none was missing.
    function _breakSilence(address signingKey, uint256 epoch, uint256 lateBlocks) private {
        Duty storage duty = duties[signingKey];
        bool goesOn = duty.lateFrom != 0 && duty.lastEpoch + 1 == epoch;
        duty.silentFrom = uint48(epoch + 1);
        duty.lastEpoch = uint48(epoch);
        duty.silentBefore = 0;
        duty.daysPaid = 0;
        if (lateBlocks <= graceBlocks) {
            duty.lateFrom = 0;
        } else if (!goesOn) {
            duty.lateFrom = uint48(epoch);
        } else if ((epoch - duty.lateFrom) * epochBlocks >= hourBlocks) {
            duty.lateFrom = uint48(epoch);
            _slash(signingKey, Offence.LateAttestations, epoch, _bonded(signingKey) / LATE_PARTS);
        }
    }
}
