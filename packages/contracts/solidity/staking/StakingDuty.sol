// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {History} from "./History.sol";
import {StakingRewards} from "./StakingRewards.sol";

/// @notice The duty: one attestation an epoch, to a final block, in time; and what it costs to fail in it for long.
abstract contract StakingDuty is StakingRewards {
    using History for History.Trace;

    enum Offence {
        DoubleAttestation,
        DoubleBlock,
        InvalidAttestation,
        Downtime,
        LateAttestations
    }

    /// @notice An epoch counts as live, and silence in it as silence, when at least one part in so many of the active stake attested.
    /// @dev When hardly anyone could attest, it was not the fault of those who did not: the sequencer may have stood
    ///      still, or the parent chain may have finalized nothing.
    uint256 public constant LIVE_PARTS = 4;
    uint256 private constant DOWNTIME_PARTS = 1000;
    uint256 private constant LATE_PARTS = 10_000;

    History.Trace private liveEpochs;

    /// @notice A validator's attestation, `lateBlocks` after the epoch's first block.
    event Attested(
        address indexed validator,
        uint256 indexed epoch,
        uint256 checkpointNumber,
        bytes32 checkpointHash,
        uint256 weight,
        uint256 lateBlocks
    );
    /// @notice A validator lost stake. `epoch` is the one it erred in, or for silence and lateness the one it was found in.
    event Slashed(address indexed validator, Offence indexed offence, uint256 indexed epoch, uint256 amount);

    error WrongEpoch(uint256 given, uint256 current);
    error CheckpointTooNew(uint256 given, uint256 slot);
    error WrongCheckpoint(uint256 number, bytes32 given, bytes32 actual);
    error NotActive(address validator, uint256 epoch);
    error AlreadyAttested(address validator, uint256 epoch);

    /// @notice Records a validator's attestation of the current epoch. Anyone may bring it.
    /// @dev One that is wrong is refused here, and is evidence for `reportInvalidAttestation`. The L1 origin is signed
    ///      and not checked, for nothing on this chain knows of old ones.
    /// @param attestation To a block before the epoch's first, and among the last 8191.
    /// @param signature The validator's, of `attestationDigest`.
    function attest(Attestation calldata attestation, bytes calldata signature) external {
        uint256 epoch = currentEpoch();
        if (attestation.epoch != epoch) revert WrongEpoch(attestation.epoch, epoch);
        uint256 number = attestation.checkpointNumber;
        if (number >= slotOf(epoch)) revert CheckpointTooNew(number, slotOf(epoch));
        bytes32 actual = _blockHash(number);
        if (attestation.checkpointHash != actual) revert WrongCheckpoint(number, attestation.checkpointHash, actual);
        address signingKey = _recover(attestationDigest(attestation), signature);
        if (_known(signingKey).slashed) revert SlashedForGood(signingKey);
        uint256 weight = weightAt(signingKey, epoch);
        if (weight == 0) revert NotActive(signingKey, epoch);
        if (duties[signingKey].lastEpoch == epoch) revert AlreadyAttested(signingKey, epoch);
        _settle(signingKey);
        _earn(signingKey, epoch, weight);
        _enliven(epoch, weight);
        uint256 lateBlocks = block.number - slotOf(epoch);
        emit Attested(signingKey, epoch, number, actual, weight, lateBlocks);
        _breakSilence(signingKey, epoch, lateBlocks);
    }

    /// @notice How many epochs before `epoch` count as live.
    function liveEpochsBefore(uint256 epoch) external view returns (uint256) {
        return _liveBefore(epoch);
    }

    /// @notice Live epochs in which a validator was active and silent since its last attestation, up to the current epoch.
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
        // day by day, so that it is the same whenever it is asked for
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

    /// @dev All of a validator's that can be slashed.
    function _bonded(address signingKey) internal view returns (uint256) {
        return uint256(validators[signingKey].stake) + validators[signingKey].unbonding;
    }

    /// @dev With the attestation that reaches the share, the epoch becomes a live one.
    function _enliven(uint256 epoch, uint256 weight) private {
        uint256 attested = epochs[epoch].attestedWeight;
        uint256 total = totalWeightAt(epoch);
        if (attested * LIVE_PARTS < total || (attested - weight) * LIVE_PARTS >= total) return;
        liveEpochs.write(epoch + 1, liveEpochs.latest() + 1);
    }

    /// @dev An hour of lateness is complete when an attestation is late, all before it back to an hour ago were, and
    ///      none was missing.
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
