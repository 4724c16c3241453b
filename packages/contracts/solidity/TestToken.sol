// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title TestToken
/// @notice An ERC-20 without value for development networks. Anyone may mint a limited amount per UTC day.
/// @dev A total limit too, because new addresses are free and minted tokens can be sold in the network's pools.
contract TestToken is ERC20 {
    uint8 private immutable _decimals;
    /// @notice Amount that one account can mint per day.
    uint256 public immutable mintPerDay;
    /// @notice Amount that all accounts together can mint per day.
    uint256 public immutable mintPerDayOfAll;

    /// @notice Amount minted on a day; days are counted from 1970.
    mapping(uint256 day => uint256) public mintedOn;
    /// @notice Amount an account minted on a day; days are counted from 1970.
    mapping(uint256 day => mapping(address account => uint256)) public mintedOnBy;

    error DailyMintExceeded(uint256 asked, uint256 left, uint256 nextDayAt);

    /// @param holder Receives the initial supply.
    constructor(
        string memory name_,
        string memory symbol_,
        uint8 decimals_,
        uint256 mintPerDay_,
        uint256 mintPerDayOfAll_,
        address holder,
        uint256 supply
    ) ERC20(name_, symbol_) {
        _decimals = decimals_;
        mintPerDay = mintPerDay_;
        mintPerDayOfAll = mintPerDayOfAll_;
        _mint(holder, supply);
    }

    /// @notice Mints for the sender, up to the day's limits.
    /// @param amount In the smallest unit.
    function mint(uint256 amount) external {
        uint256 left = mintableBy(msg.sender);
        uint256 day = _today();
        if (amount > left) revert DailyMintExceeded(amount, left, (day + 1) * 1 days);
        mintedOn[day] += amount;
        mintedOnBy[day][msg.sender] += amount;
        _mint(msg.sender, amount);
    }

    /// @notice Returns the amount that an account can still mint today.
    function mintableBy(address account) public view returns (uint256) {
        uint256 day = _today();
        uint256 own = mintPerDay - mintedOnBy[day][account];
        uint256 ofAll = mintPerDayOfAll - mintedOn[day];
        return own < ofAll ? own : ofAll;
    }

    function decimals() public view override returns (uint8) {
        return _decimals;
    }

    function _today() private view returns (uint256) {
        return block.timestamp / 1 days;
    }
}
