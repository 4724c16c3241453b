// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Agents
/// @notice Registry of the agents that work on tasks, and the native stake behind each of them.
/// @dev An id that begins with `OWNED_ID_TAG` ends with an address, and only that address can register it. The registration of
/// any other id can be front-run. Each claim of a task locks the minimum stake. Stake requested back permits no new claims, and
/// is paid out as far as the rest covers the open claims.
contract Agents {
    struct Agent {
        address owner;
        uint256 stake;
        /// Wei locked by open claims; at most `stake` + `unstaking`.
        uint256 locked;
        /// Wei requested back but not yet withdrawn.
        uint256 unstaking;
        string metadataURI;
        string endpoint;
    }

    struct Unstaking {
        uint256 amount;
        uint256 availableAt;
    }

    /// @notice Maximum length of the metadata URI, and of the endpoint.
    uint256 public constant MAX_TEXT_BYTES = 2048;
    /// @notice Denotes the native token in events.
    address public constant NATIVE = address(0);

    /// @notice Prefix of ids that end with their owner's address: "agentof:" in ASCII.
    bytes8 public constant OWNED_ID_TAG = "agentof:";

    /// @notice Wei that each open claim locks.
    uint256 public immutable minimumStake;
    /// @notice Seconds from a request to unstake until the stake can be withdrawn.
    uint256 public immutable unstakeDelay;
    address public immutable tasks;

    mapping(bytes32 agentId => Agent) private agents;
    /// @notice Wei that a staker has staked on an agent.
    mapping(bytes32 agentId => mapping(address staker => uint256)) public stakeOf;
    /// @notice Stake requested back, and the time in seconds from which it can be withdrawn.
    mapping(bytes32 agentId => mapping(address staker => Unstaking)) public unstakingOf;

    event AgentRegistered(bytes32 indexed agentId, address indexed owner, string metadataURI, string endpoint);
    event AgentUpdated(bytes32 indexed agentId, string metadataURI, string endpoint);
    /// @notice `asset` is the zero address for the native token; `total` is the agent's new stake.
    event StakeIncreased(uint256 indexed agentId, address indexed asset, address indexed staker, uint256 amount, uint256 total);
    /// @notice The stake can be withdrawn from `availableAt` (seconds) on.
    event StakeDecreased(
        uint256 indexed agentId, address indexed asset, address indexed staker, uint256 amount, uint256 total, uint256 availableAt
    );
    event StakeLockChanged(bytes32 indexed agentId, uint256 locked);
    event StakeWithdrawn(uint256 indexed agentId, address indexed asset, address indexed staker, uint256 amount);

    error AgentIdIsZero();
    error AgentIdOfAnother(bytes32 agentId, address owner);
    error AgentExists(bytes32 agentId);
    error UnknownAgent(bytes32 agentId);
    error NotTheOwner(bytes32 agentId, address owner);
    error TextTooLong(uint256 bytesGiven, uint256 bytesAllowed);
    error NothingStaked();
    error StakeTooSmall(uint256 asked, uint256 staked);
    /// @dev `held` is the stake plus the amounts requested back.
    error StakeLocked(uint256 locked, uint256 held);
    error NotTheTasks(address tasks);
    error NothingToWithdraw();
    error TooEarly(uint256 availableAt);
    error PaymentFailed(address to);

    constructor(uint256 minimumStake_, uint256 unstakeDelay_, address tasks_) {
        minimumStake = minimumStake_;
        unstakeDelay = unstakeDelay_;
        tasks = tasks_;
    }

    /// @notice Registers the sender as the owner of a new agent.
    /// @param agentId Not zero. An id from `ownedId` must be the sender's.
    function register(bytes32 agentId, string calldata metadataURI, string calldata endpoint) external {
        if (agentId == bytes32(0)) revert AgentIdIsZero();
        if (bytes8(agentId) == OWNED_ID_TAG && address(uint160(uint256(agentId))) != msg.sender) {
            revert AgentIdOfAnother(agentId, address(uint160(uint256(agentId))));
        }
        Agent storage agent = agents[agentId];
        if (agent.owner != address(0)) revert AgentExists(agentId);
        _checkText(metadataURI);
        _checkText(endpoint);
        agent.owner = msg.sender;
        agent.metadataURI = metadataURI;
        agent.endpoint = endpoint;
        emit AgentRegistered(agentId, msg.sender, metadataURI, endpoint);
    }

    /// @notice Changes an agent's metadata URI and endpoint. Owner only.
    function update(bytes32 agentId, string calldata metadataURI, string calldata endpoint) external {
        Agent storage agent = _known(agentId);
        if (agent.owner != msg.sender) revert NotTheOwner(agentId, agent.owner);
        _checkText(metadataURI);
        _checkText(endpoint);
        agent.metadataURI = metadataURI;
        agent.endpoint = endpoint;
        emit AgentUpdated(agentId, metadataURI, endpoint);
    }

    /// @notice Adds the value to an agent's stake. It remains the sender's.
    function stakeETH(bytes32 agentId) external payable {
        Agent storage agent = _known(agentId);
        if (msg.value == 0) revert NothingStaked();
        agent.stake += msg.value;
        stakeOf[agentId][msg.sender] += msg.value;
        emit StakeIncreased(uint256(agentId), NATIVE, msg.sender, msg.value, agent.stake);
    }

    /// @notice Requests stake back. It can be withdrawn after the delay unless open claims need it.
    /// @dev A second request restarts the delay of both.
    function unstake(bytes32 agentId, uint256 amount) external {
        Agent storage agent = _known(agentId);
        uint256 staked = stakeOf[agentId][msg.sender];
        if (amount == 0) revert NothingStaked();
        if (amount > staked) revert StakeTooSmall(amount, staked);
        uint256 availableAt = block.timestamp + unstakeDelay;
        stakeOf[agentId][msg.sender] = staked - amount;
        agent.stake -= amount;
        agent.unstaking += amount;
        Unstaking storage unstaking = unstakingOf[agentId][msg.sender];
        unstaking.amount += amount;
        unstaking.availableAt = availableAt;
        emit StakeDecreased(uint256(agentId), NATIVE, msg.sender, amount, agent.stake, availableAt);
    }

    /// @notice Pays out the stake that the sender requested back, except what open claims need.
    /// @dev All stake backs the open claims, including what other stakers requested back.
    function withdraw(bytes32 agentId) external {
        Unstaking storage unstaking = unstakingOf[agentId][msg.sender];
        uint256 amount = unstaking.amount;
        if (amount == 0) revert NothingToWithdraw();
        if (block.timestamp < unstaking.availableAt) revert TooEarly(unstaking.availableAt);
        Agent storage agent = agents[agentId];
        uint256 held = agent.stake + agent.unstaking;
        uint256 free = held - agent.locked;
        if (free == 0) revert StakeLocked(agent.locked, held);
        if (amount > free) {
            amount = free;
            unstaking.amount -= free;
        } else {
            delete unstakingOf[agentId][msg.sender];
        }
        agent.unstaking -= amount;
        emit StakeWithdrawn(uint256(agentId), NATIVE, msg.sender, amount);
        (bool paid,) = msg.sender.call{value: amount}("");
        if (!paid) revert PaymentFailed(msg.sender);
    }

    /// @notice Locks the minimum stake of an agent for a claim. Tasks contract only.
    function lockStake(bytes32 agentId) external {
        if (msg.sender != tasks) revert NotTheTasks(tasks);
        Agent storage agent = _known(agentId);
        uint256 locked = agent.locked + minimumStake;
        if (agent.stake < locked) revert StakeTooSmall(locked, agent.stake);
        agent.locked = locked;
        emit StakeLockChanged(agentId, locked);
    }

    /// @notice Unlocks the stake of a claim. Tasks contract only.
    function unlockStake(bytes32 agentId) external {
        if (msg.sender != tasks) revert NotTheTasks(tasks);
        Agent storage agent = _known(agentId);
        agent.locked -= minimumStake;
        emit StakeLockChanged(agentId, agent.locked);
    }

    /// @notice Returns an id that only `owner` can register.
    function ownedId(address owner, uint32 number) external pure returns (bytes32) {
        return bytes32(OWNED_ID_TAG) | bytes32((uint256(number) << 160) | uint160(owner));
    }

    /// @notice Returns an agent, with its stake in wei. Reverts for an unknown id.
    function getAgent(uint256 agentId)
        external
        view
        returns (address owner, string memory metadataURI, string memory endpoint, uint256 stake, bool canClaim)
    {
        Agent storage agent = _known(bytes32(agentId));
        return (agent.owner, agent.metadataURI, agent.endpoint, agent.stake, isStaked(bytes32(agentId)));
    }

    /// @notice Returns the owner of an agent, or the zero address.
    function ownerOf(bytes32 agentId) external view returns (address) {
        return agents[agentId].owner;
    }

    /// @notice Returns whether an agent has enough free stake for another claim.
    function isStaked(bytes32 agentId) public view returns (bool) {
        Agent storage agent = agents[agentId];
        return agent.owner != address(0) && agent.stake >= agent.locked + minimumStake;
    }

    /// @notice Returns the wei locked by open claims.
    function lockedStakeOf(bytes32 agentId) external view returns (uint256) {
        return agents[agentId].locked;
    }

    function _known(bytes32 agentId) private view returns (Agent storage agent) {
        agent = agents[agentId];
        if (agent.owner == address(0)) revert UnknownAgent(agentId);
    }

    function _checkText(string calldata text) private pure {
        if (bytes(text).length > MAX_TEXT_BYTES) revert TextTooLong(bytes(text).length, MAX_TEXT_BYTES);
    }
}
