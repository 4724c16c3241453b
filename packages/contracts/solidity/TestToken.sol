// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title TestToken
/// @notice An ERC-20 of a development network, worth nothing: anyone may mint some of it each day.
/// @dev What is minted can be sold for native value in the network's pools, and new addresses cost nothing: that is
///      why minting is bounded for all together as well. Days are those of UTC.
contract TestToken is ERC20 {
    uint8 private immutable _decimals;
    /// @notice What one account may mint in a day.
    uint256 public immutable mintPerDay;
    /// @notice What all accounts together may mint in a day.
    uint256 public immutable mintPerDayOfAll;

    /// @notice What has been minted on a day, counted from 1970.
    mapping(uint256 day => uint256) public mintedOn;
    /// @notice What an account has minted on a day, counted from 1970.
    mapping(uint256 day => mapping(address account => uint256)) public mintedOnBy;

    /// @notice More was asked for than is left of the day.
    error DailyMintExceeded(uint256 asked, uint256 left, uint256 nextDayAt);

    /// @param holder Gets the first supply.
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

    /// @notice Mints for the sender, up to what is left of the day.
    /// @param amount In the smallest unit.
    function mint(uint256 amount) external {
        uint256 left = mintableBy(msg.sender);
        uint256 day = _today();
        if (amount > left) revert DailyMintExceeded(amount, left, (day + 1) * 1 days);
        mintedOn[day] += amount;
        mintedOnBy[day][msg.sender] += amount;
        _mint(msg.sender, amount);
    }

    /// @notice What an account can still mint today.
    function mintableBy(address account) public view returns (uint256) {
        uint256 day = _today();
        uint256 own = mintPerDay - mintedOnBy[day][account];
        uint256 ofAll = mintPerDayOfAll - mintedOn[day];
        return own < ofAll ? own : ofAll;
    }

    /// @notice Digits behind the point in what people are shown.
    function decimals() public view override returns (uint8) {
        return _decimals;
    }

    function _today() private view returns (uint256) {
        return block.timestamp / 1 days;
    }
}
