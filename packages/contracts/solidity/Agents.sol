// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Agents
/// @notice Who works on this chain's tasks, and the native stake behind each agent.
/// @dev An agent is known by 32 bytes; its number is the same 32 bytes read as uint256. Ids are of two kinds. Those that
///      begin with `OWNED_ID_TAG` end with an address, and only that address can register them: `ownedId` makes one, and
///      nobody can take it first. All others go to the first that registers them, so a registration seen in the
///      transaction pool can be overtaken by another.
///      Stake belongs to whoever put it there and comes back after a delay, whatever the owner wants. Each claim of a task
///      locks the minimum stake until the task is resolved or open again: what was asked back lets no new claim begin, and
///      leaves as far as what remains here covers the claims that are open. Anyone can end a claim when its time is over.
contract Agents {
    struct Agent {
        address owner;
        uint256 stake;
        /// Wei that open claims lock; never more than `stake` and `unstaking` together.
        uint256 locked;
        /// Wei that was asked back by all stakers, and not withdrawn.
        uint256 unstaking;
        string metadataURI;
        string endpoint;
    }

    struct Unstaking {
        uint256 amount;
        uint256 availableAt;
    }

    /// @notice Longest metadata URI and endpoint, in bytes.
    uint256 public constant MAX_TEXT_BYTES = 2048;
    /// @notice Stands for the native token wherever an asset is named.
    address public constant NATIVE = address(0);

    /// @notice First bytes of an id that belongs to the address in its last 20 bytes: "agentof:" in ASCII.
    bytes8 public constant OWNED_ID_TAG = "agentof:";

    /// @notice Stake in wei that each open claim of a task locks; an agent with less that is free cannot claim.
    uint256 public immutable minimumStake;
    /// @notice Seconds between asking for stake back and getting it.
    uint256 public immutable unstakeDelay;
    /// @notice The contract whose claims lock stake.
    address public immutable tasks;

    mapping(bytes32 agentId => Agent) private agents;
    /// @notice Stake in wei by agent and staker.
    mapping(bytes32 agentId => mapping(address staker => uint256)) public stakeOf;
    /// @notice What a staker asked back from an agent, and the time (seconds) from which it can be withdrawn.
    mapping(bytes32 agentId => mapping(address staker => Unstaking)) public unstakingOf;

    /// @notice A new agent, able to claim tasks once it is staked.
    event AgentRegistered(bytes32 indexed agentId, address indexed owner, string metadataURI, string endpoint);
    /// @notice An agent changed its description or where it is reached.
    event AgentUpdated(bytes32 indexed agentId, string metadataURI, string endpoint);
    /// @notice Stake arrived. `asset` is the zero address for the native token, `total` the agent's stake now.
    event StakeIncreased(uint256 indexed agentId, address indexed asset, address indexed staker, uint256 amount, uint256 total);
    /// @notice Stake was asked back: it stopped counting, and can be withdrawn from `availableAt` (seconds) on.
    event StakeDecreased(
        uint256 indexed agentId, address indexed asset, address indexed staker, uint256 amount, uint256 total, uint256 availableAt
    );
    /// @notice An open claim locks stake, or the end of one unlocks it. `locked` is all that is locked of the agent's stake now.
    event StakeLockChanged(bytes32 indexed agentId, uint256 locked);
    /// @notice Stake went back to its staker.
    event StakeWithdrawn(uint256 indexed agentId, address indexed asset, address indexed staker, uint256 amount);

    error AgentIdIsZero();
    error AgentIdOfAnother(bytes32 agentId, address owner);
    error AgentExists(bytes32 agentId);
    error UnknownAgent(bytes32 agentId);
    error NotTheOwner(bytes32 agentId, address owner);
    error TextTooLong(uint256 bytesGiven, uint256 bytesAllowed);
    error NothingStaked();
    error StakeTooSmall(uint256 asked, uint256 staked);
    /// @dev Open claims lock all that is here: `held` is the agent's stake with what was asked back and not withdrawn.
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
    /// @param agentId Not zero, and not taken. One of `ownedId` must be the sender's.
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

    /// @notice Changes how an agent describes itself and where it is reached. Only its owner may.
    function update(bytes32 agentId, string calldata metadataURI, string calldata endpoint) external {
        Agent storage agent = _known(agentId);
        if (agent.owner != msg.sender) revert NotTheOwner(agentId, agent.owner);
        _checkText(metadataURI);
        _checkText(endpoint);
        agent.metadataURI = metadataURI;
        agent.endpoint = endpoint;
        emit AgentUpdated(agentId, metadataURI, endpoint);
    }

    /// @notice Puts the value sent along behind an agent. Anyone may, and gets back what is theirs.
    function stakeETH(bytes32 agentId) external payable {
        Agent storage agent = _known(agentId);
        if (msg.value == 0) revert NothingStaked();
        agent.stake += msg.value;
        stakeOf[agentId][msg.sender] += msg.value;
        emit StakeIncreased(uint256(agentId), NATIVE, msg.sender, msg.value, agent.stake);
    }

    /// @notice Asks for stake back: it stops counting at once, and can be withdrawn after the delay and after the claims
    ///         that need it.
    /// @dev A second request before the first was withdrawn restarts the delay of both.
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

    /// @notice Pays out what the sender asked back from an agent, or the part of it that open claims do not need.
    /// @dev Whatever is here backs the claims, also what other stakers asked back: a claim holds up no more than it locks,
    ///      whoever staked, claimed or asked back last. The part that is not paid stays asked back.
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

    /// @notice Locks the minimum stake of an agent for a claim. Only the tasks contract may.
    function lockStake(bytes32 agentId) external {
        if (msg.sender != tasks) revert NotTheTasks(tasks);
        Agent storage agent = _known(agentId);
        uint256 locked = agent.locked + minimumStake;
        if (agent.stake < locked) revert StakeTooSmall(locked, agent.stake);
        agent.locked = locked;
        emit StakeLockChanged(agentId, locked);
    }

    /// @notice Unlocks what a claim locked. Only the tasks contract may.
    function unlockStake(bytes32 agentId) external {
        if (msg.sender != tasks) revert NotTheTasks(tasks);
        Agent storage agent = _known(agentId);
        agent.locked -= minimumStake;
        emit StakeLockChanged(agentId, agent.locked);
    }

    /// @notice The id that only `owner` can register, by a number of the owner's choice.
    function ownedId(address owner, uint32 number) external pure returns (bytes32) {
        return bytes32(OWNED_ID_TAG) | bytes32((uint256(number) << 160) | uint160(owner));
    }

    /// @notice All that is known of an agent. Reverts for a number nobody registered.
    /// @return owner Who may update it and claim tasks in its name.
    /// @return metadataURI Where it describes itself.
    /// @return endpoint Where it is reached.
    /// @return stake Wei behind it.
    /// @return canClaim Whether enough of that is free to claim another task.
    function getAgent(uint256 agentId)
        external
        view
        returns (address owner, string memory metadataURI, string memory endpoint, uint256 stake, bool canClaim)
    {
        Agent storage agent = _known(bytes32(agentId));
        return (agent.owner, agent.metadataURI, agent.endpoint, agent.stake, isStaked(bytes32(agentId)));
    }

    /// @notice Owner of an agent; the zero address when there is none.
    function ownerOf(bytes32 agentId) external view returns (address) {
        return agents[agentId].owner;
    }

    /// @notice Whether an agent is registered and has the free stake that claiming another task needs.
    function isStaked(bytes32 agentId) public view returns (bool) {
        Agent storage agent = agents[agentId];
        return agent.owner != address(0) && agent.stake >= agent.locked + minimumStake;
    }

    /// @notice Wei of an agent's stake that its open claims lock.
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
