// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface Owned {
    function owner() external view returns (address);
}

/// @notice A contract with an owner, behind an EIP-1967 proxy, initialised once by the proxy's admin.
/// @dev Its storage layout equals that of the published OP Stack contract, so that a proxy can switch between the two.
abstract contract OwnedProxied {
    /// @dev keccak256("eip1967.proxy.admin") - 1.
    bytes32 private constant ADMIN_SLOT = 0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103;

    uint8 private _initialized;
    bool private _initializing;
    uint256[50] private _gapBeforeOwner;
    address private _owner;
    uint256[49] private _gapAfterOwner;

    event Initialized(uint8 version);
    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);

    error AlreadyInitialized();
    error NotProxyAdmin(address sender);
    error NotOwner(address sender, address owner);
    error NoOwner();

    modifier onlyOwner() {
        if (msg.sender != _owner) revert NotOwner(msg.sender, _owner);
        _;
    }

    constructor() {
        _initialized = type(uint8).max;
        emit Initialized(type(uint8).max);
    }

    /// @notice Returns the account that may change the configuration.
    function owner() external view returns (address) {
        return _owner;
    }

    /// @notice Transfers the ownership.
    function transferOwnership(address newOwner) external onlyOwner {
        if (newOwner == address(0)) revert NoOwner();
        _setOwner(newOwner);
    }

    /// @notice Removes the owner. After that, nothing can be changed.
    function renounceOwnership() external onlyOwner {
        _setOwner(address(0));
    }

    function _beginInitialization(address newOwner) internal {
        if (_initialized != 0) revert AlreadyInitialized();
        _requireProxyAdmin();
        if (newOwner == address(0)) revert NoOwner();
        _initialized = 1;
        _setOwner(newOwner);
    }

    function _endInitialization() internal {
        emit Initialized(1);
    }

    /// @dev Requires the proxy's admin, or its owner if the admin is a contract.
    function _requireProxyAdmin() private view {
        address admin;
        assembly {
            admin := sload(ADMIN_SLOT)
        }
        if (msg.sender == admin) return;
        if (admin.code.length == 0 || Owned(admin).owner() != msg.sender) revert NotProxyAdmin(msg.sender);
    }

    function _setOwner(address newOwner) private {
        address previous = _owner;
        _owner = newOwner;
        emit OwnershipTransferred(previous, newOwner);
    }
}
