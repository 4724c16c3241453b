// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SignedBlock} from "./staking/SignedBlock.sol";
import {StakingDuty} from "./staking/StakingDuty.sol";
import {StakingParameters} from "./staking/StakingParameters.sol";

/// @title Staking
/// @notice Validators, their stake, duty and rewards, and the slashing of offences.
/// @dev The validators with the highest stake are active in an epoch and attest once to a final block. Each offence counts once.
/// Slashed stake remains locked here.
contract Staking is StakingDuty {
    struct InvalidAttestation {
        /// Wei slashed so far.
        uint128 charged;
        bool reported;
        bool closed;
    }

    uint256 private constant INVALID_PARTS = 100;
    /// @dev Maximum increase, in proportion to the share of stake that erred.
    uint256 private constant INVALID_PARTS_MORE = 9;

    /// @notice Weight of the validators reported for an invalid attestation.
    mapping(uint256 epoch => uint256) public erredWeight;
    mapping(uint256 epoch => mapping(address validator => InvalidAttestation)) public invalidAttestations;
    /// @notice `place` is the hash of key, height, parent and first source hash.
    mapping(bytes32 place => bytes32 payloadHash) public signedBlocks;

    /// @notice The penalty may increase until the epoch's evidence period ends.
    event InvalidAttestationReported(address indexed validator, uint256 indexed epoch, uint256 checkpointNumber, bytes32 checkpointHash);
    /// @notice The penalty is final; `charged` is in wei.
    event InvalidAttestationClosed(address indexed validator, uint256 indexed epoch, uint256 charged);
    event SignedBlockNoted(address indexed validator, uint256 indexed number, bytes32 payloadHash);
    /// @notice The validator lost its stake and unpaid rewards and is permanently excluded.
    event SlashedOut(address indexed validator);

    error SameAttestation();
    error DifferentEpochs(uint256 first, uint256 second);
    error DifferentSigners(address first, address second);
    error EpochToCome(uint256 epoch);
    error EvidenceTooOld(uint256 lastBlock);
    error CheckpointIsRight(uint256 number);
    error AlreadyReported(address validator, uint256 epoch);
    error NotReported(address validator, uint256 epoch);
    error AlreadyClosed(address validator, uint256 epoch);
    error AlreadyNoted(bytes32 payloadHash);

    constructor(Parameters memory parameters) StakingParameters(parameters) {}

    /// @notice Reports two different attestations of a validator for one epoch, without a time limit. Slashes all its stake.
    function reportDoubleAttestation(
        Attestation calldata first,
        bytes calldata firstSignature,
        Attestation calldata second,
        bytes calldata secondSignature
    ) external {
        if (first.epoch != second.epoch) revert DifferentEpochs(first.epoch, second.epoch);
        bytes32 firstDigest = attestationDigest(first);
        bytes32 secondDigest = attestationDigest(second);
        if (firstDigest == secondDigest) revert SameAttestation();
        address signingKey = _recover(firstDigest, firstSignature);
        address other = _recover(secondDigest, secondSignature);
        if (signingKey != other) revert DifferentSigners(signingKey, other);
        _slashOut(signingKey, Offence.DoubleAttestation, first.epoch);
    }

    /// @notice Records a block signed by a validator's block key. A second, different block at the same place slashes all its
    /// stake, without a time limit.
    /// @dev A place is height, parent and L1 origin: an honest sequencer signs another block on the same parent after an L1
    /// reorg. Blocks must fit into a transaction.
    /// @param signedPart Parent beacon block root and payload in SSZ.
    /// @param signature As gossiped, with 0 or 1 at the end.
    function reportSignedBlock(bytes calldata signedPart, bytes calldata signature) external {
        (uint256 number, bytes32 parent, bytes32 sourceHash) = SignedBlock.read(signedPart);
        bytes32 payloadHash = keccak256(signedPart);
        address blockKey = _recover(blockDigest(payloadHash), signature);
        address signingKey = validatorOfBlockKey[blockKey];
        bytes32 place = keccak256(abi.encode(blockKey, number, parent, sourceHash));
        bytes32 noted = signedBlocks[place];
        if (_known(signingKey).slashed) revert SlashedForGood(signingKey);
        if (noted == payloadHash) revert AlreadyNoted(payloadHash);
        if (noted != bytes32(0)) {
            _slashOut(signingKey, Offence.DoubleBlock, number / epochBlocks);
        } else {
            signedBlocks[place] = payloadHash;
            emit SignedBlockNoted(signingKey, number, payloadHash);
        }
    }

    /// @notice Reports an active validator's attestation whose hash is not the chain's.
    /// @dev Slashes 1 part in 100 of its weight, rising to 10 in 100 with the share of active stake that erred. The final penalty
    /// does not depend on the order of reports; `settleInvalidAttestation` raises it.
    /// @param attestation Its epoch began at most `evidenceBlocks` ago, and its checkpoint is among the last 8191 blocks.
    function reportInvalidAttestation(Attestation calldata attestation, bytes calldata signature) external {
        uint256 epoch = attestation.epoch;
        if (epoch > currentEpoch()) revert EpochToCome(epoch);
        if (_isEvidenceComplete(epoch)) revert EvidenceTooOld(slotOf(epoch) + evidenceBlocks);
        if (attestation.checkpointHash == _blockHash(attestation.checkpointNumber)) {
            revert CheckpointIsRight(attestation.checkpointNumber);
        }
        address signingKey = _recover(attestationDigest(attestation), signature);
        uint256 weight = weightAt(signingKey, epoch);
        if (weight == 0) revert NotActive(signingKey, epoch);
        InvalidAttestation storage invalid = invalidAttestations[epoch][signingKey];
        if (invalid.reported) revert AlreadyReported(signingKey, epoch);
        invalid.reported = true;
        erredWeight[epoch] += weight;
        validators[signingKey].openOffences += 1;
        emit InvalidAttestationReported(signingKey, epoch, attestation.checkpointNumber, attestation.checkpointHash);
        _settle(signingKey);
        _charge(invalid, signingKey, epoch);
    }

    /// @notice Charges the increase of an invalid attestation's penalty, which is final when evidence expires. The validator
    /// cannot withdraw before that. Anyone may call it.
    function settleInvalidAttestation(uint256 epoch, address signingKey) external {
        InvalidAttestation storage invalid = invalidAttestations[epoch][signingKey];
        if (!invalid.reported) revert NotReported(signingKey, epoch);
        if (invalid.closed) revert AlreadyClosed(signingKey, epoch);
        _settle(signingKey);
        _charge(invalid, signingKey, epoch);
        if (!_isEvidenceComplete(epoch)) return;
        invalid.closed = true;
        validators[signingKey].openOffences -= 1;
        emit InvalidAttestationClosed(signingKey, epoch, invalid.charged);
    }

    function _charge(InvalidAttestation storage invalid, address signingKey, uint256 epoch) private {
        uint256 total = totalWeightAt(epoch);
        uint256 price = (weightAt(signingKey, epoch) * (total + INVALID_PARTS_MORE * erredWeight[epoch])) / (INVALID_PARTS * total);
        uint256 more = price - invalid.charged;
        if (more == 0) return;
        invalid.charged = uint128(price);
        _slash(signingKey, Offence.InvalidAttestation, epoch, more);
    }

    function _isEvidenceComplete(uint256 epoch) private view returns (bool) {
        return block.number > slotOf(epoch) + evidenceBlocks;
    }

    function _slashOut(address signingKey, Offence offence, uint256 epoch) private {
        Validator storage validator = _known(signingKey);
        if (validator.slashed) revert SlashedForGood(signingKey);
        _settle(signingKey);
        validator.slashed = true;
        _forfeitRewards(signingKey, validator);
        _slash(signingKey, offence, epoch, _bonded(signingKey));
        emit SlashedOut(signingKey);
    }
}
