// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Digests that validators sign: EIP-712 data, and gossiped blocks.
abstract contract SigningKeys {
    /// @notice The newest block that a validator knows to be final in an epoch.
    struct Attestation {
        uint64 epoch;
        /// Height of a final block before the epoch's first.
        uint64 checkpointNumber;
        bytes32 checkpointHash;
        /// L1 origin of the checkpoint.
        uint64 l1OriginNumber;
        bytes32 l1OriginHash;
    }

    /// @dev The EIP-712 domain also includes chain id, contract address and a salt.
    string private constant NAME = "Keelson Staking";
    string private constant VERSION = "1";
    bytes32 private constant DOMAIN_TYPE =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract,bytes32 salt)");
    bytes32 private constant ATTESTATION_TYPE = keccak256(
        "Attestation(uint64 epoch,uint64 checkpointNumber,bytes32 checkpointHash,uint64 l1OriginNumber,bytes32 l1OriginHash)"
    );
    bytes32 private constant REGISTRATION_TYPE =
        keccak256("Registration(address owner,address payout,address signingKey,address blockKey)");
    uint256 private constant SIGNATURE_BYTES = 65;
    /// @dev Half the order of secp256k1. Peers relay only signatures whose s is not above it.
    uint256 private constant HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;

    /// @notice Salt of attestations: the hash of the block before the first registration; zero until then.
    /// @dev Without it, attestations on an earlier chain with the same id and keys would be evidence of an offence.
    bytes32 public anchor;

    error BadSignature();

    /// @notice Returns the digest of an attestation, with the salt `anchor`.
    function attestationDigest(Attestation calldata attestation) public view returns (bytes32) {
        return _typedDigest(
            anchor,
            keccak256(
                abi.encode(
                    ATTESTATION_TYPE,
                    attestation.epoch,
                    attestation.checkpointNumber,
                    attestation.checkpointHash,
                    attestation.l1OriginNumber,
                    attestation.l1OriginHash
                )
            )
        );
    }

    /// @notice Returns the digest that both keys of a new validator sign, with salt zero, to prove that its owner holds them.
    function registrationDigest(address owner, address payout, address signingKey, address blockKey)
        public
        view
        returns (bytes32)
    {
        return _typedDigest(0, keccak256(abi.encode(REGISTRATION_TYPE, owner, payout, signingKey, blockKey)));
    }

    /// @notice Returns the digest that a sequencer signs for a gossiped block.
    /// @param payloadHash Hash of the beacon root and the payload in SSZ.
    function blockDigest(bytes32 payloadHash) public view returns (bytes32) {
        return keccak256(abi.encode(bytes32(0), block.chainid, payloadHash));
    }

    function _typedDigest(bytes32 salt, bytes32 structHash) private view returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(DOMAIN_TYPE, keccak256(bytes(NAME)), keccak256(bytes(VERSION)), block.chainid, address(this), salt)
        );
        return keccak256(abi.encodePacked(hex"1901", domain, structHash));
    }

    /// @dev Requires a low s, so that peers accept every recorded attestation.
    function _recoverCanonical(bytes32 digest, bytes calldata signature) internal pure returns (address signer) {
        signer = _recover(digest, signature);
        if (uint256(bytes32(signature[32:64])) > HALF_ORDER) revert BadSignature();
    }

    /// @dev Accepts v as 27, 28, 0 or 1, and any s: otherwise a sequencer could escape with a signature that gossip relays.
    function _recover(bytes32 digest, bytes calldata signature) internal pure returns (address signer) {
        if (signature.length != SIGNATURE_BYTES) revert BadSignature();
        uint8 v = uint8(signature[64]);
        signer = ecrecover(digest, v < 27 ? v + 27 : v, bytes32(signature[:32]), bytes32(signature[32:64]));
        if (signer == address(0)) revert BadSignature();
    }
}
