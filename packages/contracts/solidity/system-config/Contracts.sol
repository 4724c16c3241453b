// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Addresses at fixed slots, for storage proofs.
abstract contract Contracts {
    struct Addresses {
        address l1CrossDomainMessenger;
        address l1ERC721Bridge;
        address l1StandardBridge;
        address disputeGameFactory;
        address optimismPortal;
        address optimismMintableERC20Factory;
        /// Zero or NATIVE_CURRENCY, because no token can pay for gas.
        address gasPayingToken;
    }

    address internal constant NATIVE_CURRENCY = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;

    bytes32 public constant UNSAFE_BLOCK_SIGNER_SLOT = keccak256("systemconfig.unsafeblocksigner");
    bytes32 public constant L1_CROSS_DOMAIN_MESSENGER_SLOT = bytes32(uint256(keccak256("systemconfig.l1crossdomainmessenger")) - 1);
    bytes32 public constant L1_ERC_721_BRIDGE_SLOT = bytes32(uint256(keccak256("systemconfig.l1erc721bridge")) - 1);
    bytes32 public constant L1_STANDARD_BRIDGE_SLOT = bytes32(uint256(keccak256("systemconfig.l1standardbridge")) - 1);
    bytes32 public constant OPTIMISM_PORTAL_SLOT = bytes32(uint256(keccak256("systemconfig.optimismportal")) - 1);
    bytes32 public constant OPTIMISM_MINTABLE_ERC20_FACTORY_SLOT =
        bytes32(uint256(keccak256("systemconfig.optimismmintableerc20factory")) - 1);
    bytes32 public constant DISPUTE_GAME_FACTORY_SLOT = bytes32(uint256(keccak256("systemconfig.disputegamefactory")) - 1);
    bytes32 public constant BATCH_INBOX_SLOT = bytes32(uint256(keccak256("systemconfig.batchinbox")) - 1);
    bytes32 public constant START_BLOCK_SLOT = bytes32(uint256(keccak256("systemconfig.startBlock")) - 1);

    error GasPayingTokenNotSupported(address token);

    /// @notice Returns the signer of gossiped blocks.
    function unsafeBlockSigner() external view returns (address addr_) {
        return address(uint160(_read(UNSAFE_BLOCK_SIGNER_SLOT)));
    }

    function l1CrossDomainMessenger() external view returns (address addr_) {
        return address(uint160(_read(L1_CROSS_DOMAIN_MESSENGER_SLOT)));
    }

    function l1ERC721Bridge() external view returns (address addr_) {
        return address(uint160(_read(L1_ERC_721_BRIDGE_SLOT)));
    }

    function l1StandardBridge() external view returns (address addr_) {
        return address(uint160(_read(L1_STANDARD_BRIDGE_SLOT)));
    }

    /// @notice Returns the dispute game factory, or zero if withdrawals use an output oracle.
    function disputeGameFactory() external view returns (address addr_) {
        return address(uint160(_read(DISPUTE_GAME_FACTORY_SLOT)));
    }

    function optimismPortal() external view returns (address addr_) {
        return address(uint160(_read(OPTIMISM_PORTAL_SLOT)));
    }

    function optimismMintableERC20Factory() external view returns (address addr_) {
        return address(uint160(_read(OPTIMISM_MINTABLE_ERC20_FACTORY_SLOT)));
    }

    /// @notice Returns the batch inbox.
    function batchInbox() external view returns (address addr_) {
        return address(uint160(_read(BATCH_INBOX_SLOT)));
    }

    /// @notice Returns the first L1 block that may contain logs of this rollup.
    function startBlock() external view returns (uint256 startBlock_) {
        return _read(START_BLOCK_SLOT);
    }

    /// @notice Returns the native currency.
    function gasPayingToken() external pure returns (address addr_, uint8 decimals_) {
        return (NATIVE_CURRENCY, 18);
    }

    function gasPayingTokenName() external pure returns (string memory name_) {
        return "Ether";
    }

    function gasPayingTokenSymbol() external pure returns (string memory symbol_) {
        return "ETH";
    }

    function isCustomGasToken() external pure returns (bool) {
        return false;
    }

    function _setAddresses(Addresses memory addresses, address inbox) internal {
        if (addresses.gasPayingToken != address(0) && addresses.gasPayingToken != NATIVE_CURRENCY) {
            revert GasPayingTokenNotSupported(addresses.gasPayingToken);
        }
        _write(L1_CROSS_DOMAIN_MESSENGER_SLOT, addresses.l1CrossDomainMessenger);
        _write(L1_ERC_721_BRIDGE_SLOT, addresses.l1ERC721Bridge);
        _write(L1_STANDARD_BRIDGE_SLOT, addresses.l1StandardBridge);
        _write(DISPUTE_GAME_FACTORY_SLOT, addresses.disputeGameFactory);
        _write(OPTIMISM_PORTAL_SLOT, addresses.optimismPortal);
        _write(OPTIMISM_MINTABLE_ERC20_FACTORY_SLOT, addresses.optimismMintableERC20Factory);
        _write(BATCH_INBOX_SLOT, inbox);
        if (_read(START_BLOCK_SLOT) == 0) _write(START_BLOCK_SLOT, block.number);
    }

    function _setSigner(address signer) internal {
        _write(UNSAFE_BLOCK_SIGNER_SLOT, signer);
    }

    function _read(bytes32 slot) private view returns (uint256 value) {
        assembly {
            value := sload(slot)
        }
    }

    function _write(bytes32 slot, address value) private {
        _write(slot, uint160(value));
    }

    function _write(bytes32 slot, uint256 value) private {
        assembly {
            sstore(slot, value)
        }
    }
}
