// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

/// @title PriceFeed
/// @notice A price set by its owner, with Chainlink's AggregatorV3Interface. It is not a market price.
/// @dev Consumers reject an old `updatedAt`. Therefore each statement is repeated as a new round every `heartbeatBlocks`, without
/// a transaction. `fallSilent` ends this heartbeat, to test consumers with a stale feed. Times are computed back from the newest
/// block, assuming the fixed `blockTimeSec`.
contract PriceFeed is Ownable {
    struct Statement {
        int256 answer;
        uint80 firstRound;
        uint64 fromBlock;
        /// Last block with a heartbeat.
        uint64 untilBlock;
    }

    uint64 private constant NO_END = type(uint64).max;

    uint8 public immutable decimals;
    uint256 public constant version = 1;
    /// @notice Blocks between two rounds of one statement.
    uint64 public immutable heartbeatBlocks;
    uint64 public immutable blockTimeSec;
    /// @notice Pair, such as `BTC / USD`.
    string public description;

    Statement[] private statements;

    /// @notice Emitted by statements, not by heartbeats.
    event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt);
    event FellSilent(uint256 indexed lastRoundId);

    error HeartbeatIsZero();

    constructor(string memory description_, uint8 decimals_, uint64 heartbeatBlocks_, uint64 blockTimeSec_, address owner_, int256 answer)
        Ownable(owner_)
    {
        if (heartbeatBlocks_ == 0) revert HeartbeatIsZero();
        description = description_;
        decimals = decimals_;
        heartbeatBlocks = heartbeatBlocks_;
        blockTimeSec = blockTimeSec_;
        _state(1, answer);
    }

    /// @notice States a new answer, which begins a round. Owner only.
    /// @param answer May be zero or negative, to test consumers.
    function post(int256 answer) external onlyOwner {
        _state(_lastRound() + 1, answer);
    }

    /// @notice Ends the heartbeat until the next statement. Owner only.
    function fallSilent() external onlyOwner {
        Statement storage last = statements[statements.length - 1];
        if (last.untilBlock == NO_END) last.untilBlock = uint64(block.number);
        emit FellSilent(_lastRound());
    }

    /// @notice Returns the newest round.
    /// @return roundId Increases by one with each round, from 1.
    /// @return answer The price with `decimals` decimals.
    /// @return startedAt Seconds.
    /// @return updatedAt Equals `startedAt`.
    /// @return answeredInRound Equals `roundId`.
    function latestRoundData()
        external
        view
        returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
    {
        return _round(_lastRound(), statements[statements.length - 1]);
    }

    /// @notice Returns a round like `latestRoundData`. Reverts with `No data present` for an unknown one.
    function getRoundData(uint80 _roundId)
        external
        view
        returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
    {
        require(_roundId != 0 && _roundId <= _lastRound(), "No data present");
        uint256 low = 0;
        uint256 high = statements.length - 1;
        while (low < high) {
            uint256 middle = (low + high + 1) / 2;
            if (statements[middle].firstRound <= _roundId) low = middle;
            else high = middle - 1;
        }
        return _round(_roundId, statements[low]);
    }

    /// @notice Returns the owner's last statement, without heartbeats.
    /// @return answer The price with `decimals` decimals.
    /// @return roundId The round it began.
    /// @return postedAt Time of the statement in seconds.
    /// @return silent Whether its heartbeat was ended.
    function lastStatement() external view returns (int256 answer, uint80 roundId, uint256 postedAt, bool silent) {
        Statement storage last = statements[statements.length - 1];
        return (last.answer, last.firstRound, _timeOf(last.fromBlock), last.untilBlock != NO_END);
    }

    function _state(uint80 roundId, int256 answer) private {
        statements.push(Statement({answer: answer, firstRound: roundId, fromBlock: uint64(block.number), untilBlock: NO_END}));
        emit AnswerUpdated(answer, roundId, block.timestamp);
    }

    function _lastRound() private view returns (uint80) {
        Statement storage last = statements[statements.length - 1];
        uint256 until = block.number < last.untilBlock ? block.number : last.untilBlock;
        return last.firstRound + uint80((until - last.fromBlock) / heartbeatBlocks);
    }

    function _round(uint80 roundId, Statement storage statement)
        private
        view
        returns (uint80, int256, uint256, uint256, uint80)
    {
        uint256 time = _timeOf(statement.fromBlock + uint256(roundId - statement.firstRound) * heartbeatBlocks);
        return (roundId, statement.answer, time, time, roundId);
    }

    function _timeOf(uint256 blockNumber) private view returns (uint256) {
        return block.timestamp - (block.number - blockNumber) * blockTimeSec;
    }
}
