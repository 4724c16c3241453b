// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SignedBlock} from "./staking/SignedBlock.sol";
import {StakingDuty} from "./staking/StakingDuty.sol";
import {StakingParameters} from "./staking/StakingParameters.sol";

/// @title Staking
/// @notice Validators, their stake, their duty, its reward, and the price of betraying it.
/// @dev Those first by stake are active for an epoch and attest once in it to a final block. Evidence is judged here,
///      and anyone may bring it; each offence counts once. Slashed stake is locked here for good: nobody gains by it.
contract Staking is StakingDuty {
    struct InvalidAttestation {
        /// Wei taken so far.
        uint128 charged;
        bool reported;
        /// The price is final.
        bool closed;
    }

    uint256 private constant INVALID_PARTS = 100;
    /// @dev 1 part in 100 when nobody else erred, and so many more when all did.
    uint256 private constant INVALID_PARTS_MORE = 9;

    /// @notice Weight of the validators whose wrong attestations of an epoch were reported.
    mapping(uint256 epoch => uint256) public erredWeight;
    /// @notice What is known of a validator's wrong attestation of an epoch.
    mapping(uint256 epoch => mapping(address validator => InvalidAttestation)) public invalidAttestations;
    /// @notice Payload hash of the block a key signed at a place: hash of key, height, parent and first source hash.
    mapping(bytes32 place => bytes32 payloadHash) public signedBlocks;

    /// @notice A wrong attestation was shown. What it costs rises until the epoch's evidence is complete.
    event InvalidAttestationReported(address indexed validator, uint256 indexed epoch, uint256 checkpointNumber, bytes32 checkpointHash);
    /// @notice The price of a wrong attestation is final, `charged` wei in all.
    event InvalidAttestationClosed(address indexed validator, uint256 indexed epoch, uint256 charged);
    /// @notice A validator's signature of a block is kept; another block of the same key at the same place is double signing.
    event SignedBlockNoted(address indexed validator, uint256 indexed number, bytes32 payloadHash);
    /// @notice A validator lost its stake and its unpaid rewards, and is out for good.
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

    /// @notice Shows two different attestations of one validator for one epoch. It loses all its stake, at any time.
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

    /// @notice Shows a block a validator's block key signed. The second that differs from the first at the same place
    ///         takes all its stake, at any time.
    /// @dev A place is height, parent and L1 origin. Without the origin an honest sequencer could be slashed: when the
    ///      parent chain reorganises, it signs another block on the same parent. Blocks must fit into a transaction.
    /// @param signedPart What the signature is made over: parent beacon block root and payload in SSZ, as gossiped.
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

    /// @notice Shows an attestation whose hash is not the chain's, of a validator active in that epoch.
    /// @dev 1 part in 100 of its weight, rising with the share of active stake that erred in the epoch to 10 in 100.
    ///      The price at the end does not depend on the order of reports; `settleInvalidAttestation` brings it up.
    /// @param attestation Of an epoch that began at most `evidenceBlocks` ago; its checkpoint among the last 8191 blocks.
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

    /// @notice Takes what a reported attestation costs by now beyond what was taken. When the time for evidence is
    ///         over, the price is final; before that the validator cannot withdraw. Anyone may call it.
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
