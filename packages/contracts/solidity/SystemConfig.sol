// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Contracts} from "./system-config/Contracts.sol";
import {OwnedProxied} from "./system-config/OwnedProxied.sol";

/// @title System config
/// @notice Settings of the rollup on L1. A change applies from the first L2 block whose L1 origin is the block of its event.
/// @dev Nodes skip an update they cannot parse, so invalid values revert here. Without a batcher (address zero) no batch is
/// derived, and without a signer no gossiped block is accepted. Used behind a proxy.
contract SystemConfig is OwnedProxied, Contracts {
    enum UpdateType {
        BATCHER,
        FEE_SCALARS,
        GAS_LIMIT,
        UNSAFE_BLOCK_SIGNER,
        EIP_1559_PARAMS,
        OPERATOR_FEE_PARAMS,
        MIN_BASE_FEE,
        DA_FOOTPRINT_GAS_SCALAR
    }

    struct ResourceConfig {
        uint32 maxResourceLimit;
        uint8 elasticityMultiplier;
        uint8 baseFeeMaxChangeDenominator;
        uint32 minimumBaseFee;
        uint32 systemTxMaxGas;
        uint128 maximumBaseFee;
    }

    uint256 public constant VERSION = 0;
    uint64 private constant MAX_GAS_LIMIT = 200_000_000;
    /// @dev Limits the elasticity, because the gas target (the gas limit divided by it) must not be zero.
    uint32 private constant MAX_ELASTICITY = 1_000_000;
    uint32 private constant MIN_SYSTEM_TX_GAS = 1_000_000;
    /// @dev 10,000 gwei.
    uint64 private constant MAX_MIN_BASE_FEE = 1e13;
    /// @dev One token per transaction.
    uint64 private constant MAX_OPERATOR_FEE_CONSTANT = 1e18;
    uint256 private constant SCALAR_VERSION_SHIFT = 248;

    /// @notice Fixed gas overhead of the L1 fee before Ecotone.
    uint256 public overhead;
    /// @notice The first byte is the version; in version 1 the last eight bytes hold both scalars.
    uint256 public scalar;
    /// @notice Version 0 in the first byte, and the batcher's address in the last twenty.
    bytes32 public batcherHash;
    uint64 public gasLimit;
    /// @notice Scalar in millionths.
    uint32 public basefeeScalar;
    uint32 public blobbasefeeScalar;
    ResourceConfig private _resourceConfig;
    /// @notice Zero means the chain's default.
    uint32 public eip1559Denominator;
    /// @notice Zero means the chain's default.
    uint32 public eip1559Elasticity;
    /// @notice Fee per gas, by the rules of the active fork.
    uint32 public operatorFeeScalar;
    /// @notice Fee in wei per transaction.
    uint64 public operatorFeeConstant;
    /// @notice Minimum base fee in wei.
    uint64 public minBaseFee;
    /// @notice Gas per estimated byte; zero means the default.
    uint16 public daFootprintGasScalar;

    event ConfigUpdate(uint256 indexed version, UpdateType indexed updateType, bytes data);

    error NotABatcherAddress(bytes32 batcherHash);
    error ScalarHasVersion(uint256 scalar);
    error GasLimitOutOfRange(uint64 gasLimit, uint64 least, uint64 most);
    error Eip1559OutOfRange(uint32 denominator, uint32 elasticity);
    error OperatorFeeTooHigh(uint64 operatorFeeConstant, uint64 most);
    error MinBaseFeeTooHigh(uint64 minBaseFee, uint64 most);
    error BadResourceConfig(string reason);

    /// @notice Sets the values that a rollup needs at its start, without those of later forks. Once, proxy admin only.
    function initialize(
        address _owner,
        uint32 _basefeeScalar,
        uint32 _blobbasefeeScalar,
        bytes32 _batcherHash,
        uint64 _gasLimit,
        address _unsafeBlockSigner,
        ResourceConfig memory _config,
        address _batchInbox,
        Addresses memory _addresses
    ) external {
        _beginInitialization(_owner);
        _setResourceConfig(_config);
        _announceBatcher(_batcherHash);
        _announceScalars(_basefeeScalar, _blobbasefeeScalar);
        _announceGasLimit(_gasLimit);
        _announceSigner(_unsafeBlockSigner);
        _setAddresses(_addresses, _batchInbox);
        _endInitialization();
    }

    /// @notice Sets the batcher.
    /// @param _batcherHash The address in the last 20 bytes, zero before.
    function setBatcherHash(bytes32 _batcherHash) external onlyOwner {
        _announceBatcher(_batcherHash);
    }

    /// @notice Sets the L1 fee before Ecotone.
    function setGasConfig(uint256 _overhead, uint256 _scalar) external onlyOwner {
        if (_scalar >> SCALAR_VERSION_SHIFT != 0) revert ScalarHasVersion(_scalar);
        overhead = _overhead;
        scalar = _scalar;
        _announce(UpdateType.FEE_SCALARS, abi.encode(_overhead, _scalar));
    }

    /// @notice Sets the L1 fee scalars since Ecotone, in millionths.
    function setGasConfigEcotone(uint32 _basefeeScalar, uint32 _blobbasefeeScalar) external onlyOwner {
        _announceScalars(_basefeeScalar, _blobbasefeeScalar);
    }

    /// @notice Sets the gas limit of L2 blocks.
    function setGasLimit(uint64 _gasLimit) external onlyOwner {
        _announceGasLimit(_gasLimit);
    }

    /// @notice Sets the signer of gossiped blocks.
    function setUnsafeBlockSigner(address _unsafeBlockSigner) external onlyOwner {
        _announceSigner(_unsafeBlockSigner);
    }

    /// @notice Sets the EIP-1559 parameters of L2. Applies from Holocene on.
    function setEIP1559Params(uint32 _denominator, uint32 _elasticity) external onlyOwner {
        if (_denominator == 0 || _elasticity == 0 || _elasticity > MAX_ELASTICITY) {
            revert Eip1559OutOfRange(_denominator, _elasticity);
        }
        eip1559Denominator = _denominator;
        eip1559Elasticity = _elasticity;
        _announce(UpdateType.EIP_1559_PARAMS, abi.encode((uint256(_denominator) << 32) | _elasticity));
    }

    /// @notice Sets the operator fee. Applies from Isthmus on.
    function setOperatorFeeScalars(uint32 _operatorFeeScalar, uint64 _operatorFeeConstant) external onlyOwner {
        if (_operatorFeeConstant > MAX_OPERATOR_FEE_CONSTANT) {
            revert OperatorFeeTooHigh(_operatorFeeConstant, MAX_OPERATOR_FEE_CONSTANT);
        }
        operatorFeeScalar = _operatorFeeScalar;
        operatorFeeConstant = _operatorFeeConstant;
        _announce(UpdateType.OPERATOR_FEE_PARAMS, abi.encode((uint256(_operatorFeeScalar) << 64) | _operatorFeeConstant));
    }

    /// @notice Sets the minimum base fee of L2 in wei. Applies from Jovian on.
    function setMinBaseFee(uint64 _minBaseFee) external onlyOwner {
        if (_minBaseFee > MAX_MIN_BASE_FEE) revert MinBaseFeeTooHigh(_minBaseFee, MAX_MIN_BASE_FEE);
        minBaseFee = _minBaseFee;
        _announce(UpdateType.MIN_BASE_FEE, abi.encode(_minBaseFee));
    }

    /// @notice Sets the gas per byte of a block's DA footprint. Applies from Jovian on.
    function setDAFootprintGasScalar(uint16 _daFootprintGasScalar) external onlyOwner {
        daFootprintGasScalar = _daFootprintGasScalar;
        _announce(UpdateType.DA_FOOTPRINT_GAS_SCALAR, abi.encode(_daFootprintGasScalar));
    }

    function resourceConfig() external view returns (ResourceConfig memory) {
        return _resourceConfig;
    }

    /// @notice Returns the gas of all deposits of an L1 block and the system transaction.
    function minimumGasLimit() public view returns (uint64) {
        return uint64(_resourceConfig.maxResourceLimit) + _resourceConfig.systemTxMaxGas;
    }

    /// @notice Returns the maximum gas limit of L2 blocks.
    function maximumGasLimit() public pure returns (uint64) {
        return MAX_GAS_LIMIT;
    }

    function version() external pure returns (string memory) {
        return "1.0.0+keelson";
    }

    function _announceBatcher(bytes32 batcher) private {
        if (uint256(batcher) >> 160 != 0) revert NotABatcherAddress(batcher);
        batcherHash = batcher;
        _announce(UpdateType.BATCHER, abi.encode(batcher));
    }

    function _announceScalars(uint32 base, uint32 blob) private {
        basefeeScalar = base;
        blobbasefeeScalar = blob;
        scalar = (uint256(1) << SCALAR_VERSION_SHIFT) | (uint256(blob) << 32) | base;
        _announce(UpdateType.FEE_SCALARS, abi.encode(overhead, scalar));
    }

    function _announceGasLimit(uint64 limit) private {
        (uint64 least, uint64 most) = (minimumGasLimit(), maximumGasLimit());
        if (limit < least || limit > most) revert GasLimitOutOfRange(limit, least, most);
        gasLimit = limit;
        _announce(UpdateType.GAS_LIMIT, abi.encode(limit));
    }

    function _announceSigner(address signer) private {
        _setSigner(signer);
        _announce(UpdateType.UNSAFE_BLOCK_SIGNER, abi.encode(signer));
    }

    function _announce(UpdateType updateType, bytes memory data) private {
        emit ConfigUpdate(VERSION, updateType, data);
    }

    function _setResourceConfig(ResourceConfig memory config) private {
        if (config.minimumBaseFee > config.maximumBaseFee) revert BadResourceConfig("minimumBaseFee");
        if (config.baseFeeMaxChangeDenominator <= 1) revert BadResourceConfig("baseFeeMaxChangeDenominator");
        if (config.elasticityMultiplier == 0) revert BadResourceConfig("elasticityMultiplier");
        if (config.maxResourceLimit % config.elasticityMultiplier != 0) revert BadResourceConfig("maxResourceLimit");
        if (config.systemTxMaxGas < MIN_SYSTEM_TX_GAS) revert BadResourceConfig("systemTxMaxGas");
        _resourceConfig = config;
    }
}
