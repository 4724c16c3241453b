// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Contracts} from "./system-config/Contracts.sol";
import {OwnedProxied} from "./system-config/OwnedProxied.sol";

/// @title System config
/// @notice On L1, what the operator of the rollup may set while it runs. Each change is announced by an event, from which
///         every node derives it: it holds from the first L2 block whose L1 origin is the block of the event.
/// @dev A node skips an announcement it cannot read, and says so to nobody here; so what it could not read is refused,
///      and so are gas limits and fees outside of their bounds. Addresses are taken as they are, zero too: without a
///      batcher no batch is derived, and without a signer no gossiped block is believed, until one is set again.
///      Stands behind a proxy.
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

    /// @notice How the portal prices the L2 gas of deposits.
    struct ResourceConfig {
        uint32 maxResourceLimit;
        uint8 elasticityMultiplier;
        uint8 baseFeeMaxChangeDenominator;
        uint32 minimumBaseFee;
        uint32 systemTxMaxGas;
        uint128 maximumBaseFee;
    }

    /// @notice Version of the events.
    uint256 public constant VERSION = 0;
    uint64 private constant MAX_GAS_LIMIT = 200_000_000;
    /// @dev An L2 block's gas target is the limit divided by this, and must not become zero.
    uint32 private constant MAX_ELASTICITY = 1_000_000;
    uint32 private constant MIN_SYSTEM_TX_GAS = 1_000_000;
    /// @dev 10,000 gwei.
    uint64 private constant MAX_MIN_BASE_FEE = 1e13;
    /// @dev A token for each transaction.
    uint64 private constant MAX_OPERATOR_FEE_CONSTANT = 1e18;
    uint256 private constant SCALAR_VERSION_SHIFT = 248;

    /// @notice Of the L1 fee before Ecotone; without effect since.
    uint256 public overhead;
    /// @notice Of the L1 fee: version in the first byte; in version 1 both scalars in the last eight.
    uint256 public scalar;
    /// @notice Who sends batches: version 0, which is a zero byte, and an address in the last twenty.
    bytes32 public batcherHash;
    /// @notice Gas limit of L2 blocks.
    uint64 public gasLimit;
    /// @notice Of the L1 fee, in millionths.
    uint32 public basefeeScalar;
    uint32 public blobbasefeeScalar;
    ResourceConfig private _resourceConfig;
    /// @notice How fast the base fee of L2 changes; zero until it is set, which means the chain's own default.
    uint32 public eip1559Denominator;
    /// @notice Gas limit of an L2 block divided by its target; zero until it is set.
    uint32 public eip1559Elasticity;
    /// @notice Of the operator fee: for gas, by the rules of the fork in force.
    uint32 public operatorFeeScalar;
    /// @notice Of the operator fee: wei for each transaction.
    uint64 public operatorFeeConstant;
    /// @notice Wei below which the base fee of L2 does not fall.
    uint64 public minBaseFee;
    /// @notice Gas for each estimated byte of data that a block's footprint on L1 counts; zero means the default.
    uint16 public daFootprintGasScalar;

    /// @notice Something is set from here on. What `data` holds goes by `updateType`, a value of UpdateType.
    event ConfigUpdate(uint256 indexed version, UpdateType indexed updateType, bytes data);

    error NotABatcherAddress(bytes32 batcherHash);
    error ScalarHasVersion(uint256 scalar);
    error GasLimitOutOfRange(uint64 gasLimit, uint64 least, uint64 most);
    error Eip1559OutOfRange(uint32 denominator, uint32 elasticity);
    error OperatorFeeTooHigh(uint64 operatorFeeConstant, uint64 most);
    error MinBaseFeeTooHigh(uint64 minBaseFee, uint64 most);
    error BadResourceConfig(string reason);

    /// @notice Sets everything that a rollup needs to begin with; once, by the proxy's admin.
    /// @dev What came with later forks stays unset, so that a chain can be on any of them.
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

    /// @notice Sets who sends batches.
    /// @param _batcherHash The address in the last 20 bytes; the others are zero. With address zero no batch is derived.
    function setBatcherHash(bytes32 _batcherHash) external onlyOwner {
        _announceBatcher(_batcherHash);
    }

    /// @notice Sets the L1 fee as it was before Ecotone.
    function setGasConfig(uint256 _overhead, uint256 _scalar) external onlyOwner {
        if (_scalar >> SCALAR_VERSION_SHIFT != 0) revert ScalarHasVersion(_scalar);
        overhead = _overhead;
        scalar = _scalar;
        _announce(UpdateType.FEE_SCALARS, abi.encode(_overhead, _scalar));
    }

    /// @notice Sets the L1 fee since Ecotone, in millionths.
    function setGasConfigEcotone(uint32 _basefeeScalar, uint32 _blobbasefeeScalar) external onlyOwner {
        _announceScalars(_basefeeScalar, _blobbasefeeScalar);
    }

    /// @notice Sets the gas limit of L2 blocks.
    function setGasLimit(uint64 _gasLimit) external onlyOwner {
        _announceGasLimit(_gasLimit);
    }

    /// @notice Sets whose signature gossiped blocks bear; with address zero none is believed.
    function setUnsafeBlockSigner(address _unsafeBlockSigner) external onlyOwner {
        _announceSigner(_unsafeBlockSigner);
    }

    /// @notice Sets how the base fee of L2 follows the gas used. In force on L2 from Holocene on.
    function setEIP1559Params(uint32 _denominator, uint32 _elasticity) external onlyOwner {
        if (_denominator == 0 || _elasticity == 0 || _elasticity > MAX_ELASTICITY) {
            revert Eip1559OutOfRange(_denominator, _elasticity);
        }
        eip1559Denominator = _denominator;
        eip1559Elasticity = _elasticity;
        _announce(UpdateType.EIP_1559_PARAMS, abi.encode((uint256(_denominator) << 32) | _elasticity));
    }

    /// @notice Sets the operator fee. In force on L2 from Isthmus on.
    function setOperatorFeeScalars(uint32 _operatorFeeScalar, uint64 _operatorFeeConstant) external onlyOwner {
        if (_operatorFeeConstant > MAX_OPERATOR_FEE_CONSTANT) {
            revert OperatorFeeTooHigh(_operatorFeeConstant, MAX_OPERATOR_FEE_CONSTANT);
        }
        operatorFeeScalar = _operatorFeeScalar;
        operatorFeeConstant = _operatorFeeConstant;
        _announce(UpdateType.OPERATOR_FEE_PARAMS, abi.encode((uint256(_operatorFeeScalar) << 64) | _operatorFeeConstant));
    }

    /// @notice Sets the wei below which the base fee of L2 does not fall. In force on L2 from Jovian on.
    function setMinBaseFee(uint64 _minBaseFee) external onlyOwner {
        if (_minBaseFee > MAX_MIN_BASE_FEE) revert MinBaseFeeTooHigh(_minBaseFee, MAX_MIN_BASE_FEE);
        minBaseFee = _minBaseFee;
        _announce(UpdateType.MIN_BASE_FEE, abi.encode(_minBaseFee));
    }

    /// @notice Sets what a byte of data counts in a block's footprint. In force on L2 from Jovian on.
    function setDAFootprintGasScalar(uint16 _daFootprintGasScalar) external onlyOwner {
        daFootprintGasScalar = _daFootprintGasScalar;
        _announce(UpdateType.DA_FOOTPRINT_GAS_SCALAR, abi.encode(_daFootprintGasScalar));
    }

    function resourceConfig() external view returns (ResourceConfig memory) {
        return _resourceConfig;
    }

    /// @notice Least gas limit of L2 blocks: room for all deposits of an L1 block, and for the system's own transaction.
    function minimumGasLimit() public view returns (uint64) {
        return uint64(_resourceConfig.maxResourceLimit) + _resourceConfig.systemTxMaxGas;
    }

    /// @notice Highest gas limit of L2 blocks.
    function maximumGasLimit() public pure returns (uint64) {
        return MAX_GAS_LIMIT;
    }

    /// @notice Version of this contract.
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
