// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface AgentRegistry {
    function ownerOf(bytes32 agentId) external view returns (address);
    function isStaked(bytes32 agentId) external view returns (bool);
    function lockStake(bytes32 agentId) external;
    function unlockStake(bytes32 agentId) external;
}

/// @title Tasks
/// @notice Tasks for agents. The reward is held here from a task's creation.
/// @dev Receivers withdraw their payments, so that a rejected payment blocks no transition. A claim locks the agent's minimum
/// stake until it ends. If its time passes without a result, anyone can end it.
contract Tasks {
    enum Status {
        Open,
        Claimed,
        Completed,
        Disputed,
        Resolved
    }

    enum Outcome {
        Pending,
        /// Accepted, or a ruling gave the agent part of the reward.
        Completed,
        /// The creator cancelled the task before a claim.
        Cancelled,
        Expired,
        /// A ruling gave the agent nothing.
        Refunded
    }

    struct Task {
        address creator;
        Status status;
        /// Seconds; tasks must be claimed and completed before.
        uint64 deadline;
        /// Only the chosen agent can claim it.
        bool inviteOnly;
        bool chosenClaim;
        Outcome outcome;
        /// Seconds; end of the agent's exclusive time, of the review or of the arbitration.
        uint64 decisionDeadline;
        address agent;
        /// Exclusive time after the claim; zero means `claimPeriod`.
        uint32 claimSeconds;
        uint256 reward;
        bytes32 agentId;
        bytes32 resultHash;
        bytes32 chosenAgentId;
    }

    /// @notice Maximum length of the description, and of the requirements.
    uint256 public constant MAX_TEXT_BYTES = 8192;
    /// @notice Maximum seconds from a task's creation to its deadline.
    uint256 public constant MAX_DURATION = 365 days;
    /// @notice Maximum time of a claim in seconds.
    uint256 public constant MAX_CLAIM_DURATION = 30 days;

    AgentRegistry public immutable agents;
    address public immutable arbiter;
    /// @notice Default exclusive time of an agent after its claim, in seconds.
    uint32 public immutable claimPeriod;
    /// @notice Seconds for the creator to dispute a completed task.
    uint64 public immutable reviewPeriod;
    /// @notice Seconds for the arbiter to rule.
    uint64 public immutable arbitrationPeriod;

    /// @notice Task ids start at 1.
    uint256 public nextTaskId = 1;
    /// @notice Wei an address can withdraw.
    mapping(address => uint256) public balanceOf;
    mapping(uint256 taskId => Task) private tasks;

    event TaskCreated(uint256 indexed taskId, address indexed creator, string description, uint256 reward);
    /// @notice The requirements are only in this event, not in storage.
    event TaskRequirements(uint256 indexed taskId, uint256 deadline, bytes requirements);
    /// @notice An agent offers to work on the task.
    event TaskApplied(uint256 indexed taskId, bytes32 indexed agentId, address indexed agent);
    /// @notice Only this agent can claim the task; nobody if zero.
    event AgentChosen(uint256 indexed taskId, bytes32 indexed agentId);
    /// @notice A claim ended without a result.
    event TaskReopened(uint256 indexed taskId, bytes32 indexed agentId, address indexed by);
    event TaskClaimed(uint256 indexed taskId, bytes32 indexed agentId, address indexed agent);
    event TaskCompleted(uint256 indexed taskId, address indexed agent, bytes32 resultHash, uint256 reviewUntil);
    event TaskDisputed(uint256 indexed taskId, address indexed creator, string reason, uint256 ruleUntil);
    /// @notice `amount` is the agent's part of the reward in wei.
    event TaskAccepted(uint256 indexed taskId, address indexed agent, uint256 amount);
    event TaskCancelled(uint256 indexed taskId, address indexed creator);
    /// @notice No result by the deadline. `agent` is the claimant or zero.
    event TaskExpired(uint256 indexed taskId, address indexed agent);
    /// @notice A ruling gave the agent nothing.
    event TaskRefunded(uint256 indexed taskId, address indexed agent);
    /// @notice Emitted for every ended task, after the event of its outcome; amounts in wei.
    event TaskResolved(uint256 indexed taskId, uint256 toAgent, uint256 toCreator);
    event Withdrawn(address indexed to, uint256 amount);

    error UnknownTask(uint256 taskId);
    error WrongStatus(uint256 taskId, Status status);
    error RewardNotSent(uint256 reward, uint256 sent);
    error BadClaimPeriod(uint256 seconds_, uint256 longest);
    error BadDeadline(uint256 deadline, uint256 latest);
    error TextTooLong(uint256 bytesGiven, uint256 bytesAllowed);
    error DeadlinePassed(uint256 deadline);
    error TooEarly(uint256 possibleFrom);
    error NotTheCreator(address creator);
    error NotTheAgent(address agent);
    error NotTheArbiter(address arbiter);
    error NotTheAgentsOwner(bytes32 agentId);
    error AgentNotStaked(bytes32 agentId);
    error AgentNotChosen(bytes32 agentId, bytes32 chosen);
    error ResultHashIsZero();
    error ShareTooLarge(uint256 toAgent, uint256 reward);
    error NothingToWithdraw();
    error PaymentFailed(address to);

    constructor(
        AgentRegistry agents_,
        address arbiter_,
        uint32 claimPeriod_,
        uint64 reviewPeriod_,
        uint64 arbitrationPeriod_
    ) {
        agents = agents_;
        arbiter = arbiter_;
        claimPeriod = claimPeriod_;
        reviewPeriod = reviewPeriod_;
        arbitrationPeriod = arbitrationPeriod_;
    }

    /// @notice Creates a task. The reward is held until the task is resolved.
    /// @dev New -> Open.
    /// @param reward Wei; must equal the value.
    /// @param deadline Unix time in seconds for completion.
    function createTask(string calldata description, uint256 reward, uint256 deadline, bytes calldata requirements)
        external
        payable
        returns (uint256 taskId)
    {
        taskId = _create(description, reward, deadline, requirements);
    }

    /// @notice Creates a task that only an agent chosen by the creator can claim.
    /// @dev New -> Open.
    /// @param agentId Zero to choose one later.
    /// @param claimSeconds Exclusive time of the agent after its claim; zero means `claimPeriod`.
    function createTaskFor(
        string calldata description,
        uint256 reward,
        uint256 deadline,
        bytes calldata requirements,
        bytes32 agentId,
        uint256 claimSeconds
    ) external payable returns (uint256 taskId) {
        if (claimSeconds > MAX_CLAIM_DURATION) revert BadClaimPeriod(claimSeconds, MAX_CLAIM_DURATION);
        taskId = _create(description, reward, deadline, requirements);
        Task storage task = tasks[taskId];
        task.claimSeconds = uint32(claimSeconds);
        _choose(taskId, task, agentId);
    }

    /// @notice Offers the work of the sender's agent. Only emits an event.
    function applyForTask(uint256 taskId, bytes32 agentId) external {
        _in(taskId, Status.Open);
        if (agents.ownerOf(agentId) != msg.sender) revert NotTheAgentsOwner(agentId);
        if (!agents.isStaked(agentId)) revert AgentNotStaked(agentId);
        emit TaskApplied(taskId, agentId, msg.sender);
    }

    /// @notice Restricts an open or claimed task to one agent. Creator only.
    /// @param agentId Zero for nobody until the next call.
    function chooseAgent(uint256 taskId, bytes32 agentId) external {
        Task storage task = _known(taskId);
        if (task.status != Status.Open && task.status != Status.Claimed) revert WrongStatus(taskId, task.status);
        if (task.creator != msg.sender) revert NotTheCreator(task.creator);
        _choose(taskId, task, agentId);
    }

    /// @notice Claims a task for an agent of the sender, and locks the minimum stake.
    /// @dev Open -> Claimed, until the deadline.
    function claimTask(uint256 taskId, bytes32 agentId) external {
        Task storage task = _in(taskId, Status.Open);
        _before(task.deadline);
        if (agents.ownerOf(agentId) != msg.sender) revert NotTheAgentsOwner(agentId);
        if (task.inviteOnly && agentId != task.chosenAgentId) revert AgentNotChosen(agentId, task.chosenAgentId);
        if (!agents.isStaked(agentId)) revert AgentNotStaked(agentId);
        task.status = Status.Claimed;
        task.agent = msg.sender;
        task.agentId = agentId;
        task.chosenClaim = task.inviteOnly;
        task.decisionDeadline = uint64(block.timestamp) + (task.claimSeconds == 0 ? claimPeriod : task.claimSeconds);
        agents.lockStake(agentId);
        emit TaskClaimed(taskId, agentId, msg.sender);
    }

    /// @notice Ends a claim without a result. The agent may call it at any time, anyone else after the agent's exclusive time.
    /// @dev Claimed -> Open. A creator who does not want other agents to claim the task should choose an agent before.
    function reopenTask(uint256 taskId) external {
        Task storage task = _in(taskId, Status.Claimed);
        if (task.agent != msg.sender) _after(task.decisionDeadline);
        bytes32 agentId = task.agentId;
        task.status = Status.Open;
        task.agent = address(0);
        task.agentId = bytes32(0);
        agents.unlockStake(agentId);
        emit TaskReopened(taskId, agentId, msg.sender);
    }

    /// @notice Cancels an open task.
    /// @dev Open -> Resolved, by the creator.
    function cancelTask(uint256 taskId) external {
        Task storage task = _in(taskId, Status.Open);
        if (task.creator != msg.sender) revert NotTheCreator(task.creator);
        emit TaskCancelled(taskId, msg.sender);
        _resolve(taskId, task, Outcome.Cancelled, 0);
    }

    /// @notice Submits the result, even after the agent's exclusive time, unless the task was reopened.
    /// @dev Claimed -> Completed, by the agent, until the deadline.
    /// @param resultHash Commitment to the result, not zero.
    function completeTask(uint256 taskId, bytes32 resultHash) external {
        Task storage task = _in(taskId, Status.Claimed);
        if (task.agent != msg.sender) revert NotTheAgent(task.agent);
        _before(task.deadline);
        if (resultHash == bytes32(0)) revert ResultHashIsZero();
        task.status = Status.Completed;
        task.resultHash = resultHash;
        task.decisionDeadline = uint64(block.timestamp) + reviewPeriod;
        emit TaskCompleted(taskId, msg.sender, resultHash, task.decisionDeadline);
    }

    /// @notice Returns the reward of a task without a result to its creator.
    /// @dev Open or Claimed -> Resolved, by anyone, after the deadline.
    function refundTask(uint256 taskId) external {
        Task storage task = _known(taskId);
        if (task.status != Status.Open && task.status != Status.Claimed) revert WrongStatus(taskId, task.status);
        _after(task.deadline);
        emit TaskExpired(taskId, task.agent);
        _resolve(taskId, task, Outcome.Expired, 0);
    }

    /// @notice Pays the agent: by the creator at once, by anyone after the review period.
    /// @dev Completed -> Resolved.
    function acceptTask(uint256 taskId) external {
        Task storage task = _in(taskId, Status.Completed);
        if (task.creator != msg.sender) _after(task.decisionDeadline);
        _accept(taskId, task, task.reward);
    }

    /// @notice Disputes a result.
    /// @dev Completed -> Disputed, by the creator, until the end of the review period.
    function disputeTask(uint256 taskId, string calldata reason) external {
        Task storage task = _in(taskId, Status.Completed);
        if (task.creator != msg.sender) revert NotTheCreator(task.creator);
        _before(task.decisionDeadline);
        if (bytes(reason).length > MAX_TEXT_BYTES) revert TextTooLong(bytes(reason).length, MAX_TEXT_BYTES);
        task.status = Status.Disputed;
        task.decisionDeadline = uint64(block.timestamp) + arbitrationPeriod;
        emit TaskDisputed(taskId, msg.sender, reason, task.decisionDeadline);
    }

    /// @notice Rules on a dispute. After the arbitration period anyone may call it: a chosen agent gets half, any other nothing.
    /// @dev Disputed -> Resolved. Anyone can claim an unrestricted task and submit junk, so without a ruling its reward is
    /// returned. An agent can avoid this risk by waiting until it is chosen.
    /// @param toAgent Wei of the reward for the agent; the rest is the creator's.
    function resolveTask(uint256 taskId, uint256 toAgent) external {
        Task storage task = _in(taskId, Status.Disputed);
        if (block.timestamp > task.decisionDeadline) {
            toAgent = task.chosenClaim ? task.reward / 2 : 0;
        } else if (msg.sender != arbiter) {
            revert NotTheArbiter(arbiter);
        }
        if (toAgent > task.reward) revert ShareTooLarge(toAgent, task.reward);
        if (toAgent > 0) {
            _accept(taskId, task, toAgent);
        } else {
            emit TaskRefunded(taskId, task.agent);
            _resolve(taskId, task, Outcome.Refunded, 0);
        }
    }

    /// @notice Pays out the sender's balance from resolved tasks.
    function withdraw() external {
        uint256 amount = balanceOf[msg.sender];
        if (amount == 0) revert NothingToWithdraw();
        balanceOf[msg.sender] = 0;
        emit Withdrawn(msg.sender, amount);
        (bool paid,) = msg.sender.call{value: amount}("");
        if (!paid) revert PaymentFailed(msg.sender);
    }

    /// @notice Returns the status, which determines the possible next calls; for the result of status 4 see `outcome`. Reverts
    /// for an unknown task.
    /// @return status 0 open, 1 claimed, 2 completed, 3 disputed, 4 resolved.
    /// @return agent Owner of the claiming agent, or zero.
    /// @return resultHash The submitted result, or zero.
    function getTaskStatus(uint256 taskId) external view returns (uint8 status, address agent, bytes32 resultHash) {
        Task storage task = _known(taskId);
        return (uint8(task.status), task.agent, task.resultHash);
    }

    /// @notice Returns how a task ended; 1 means that the agent was paid. Reverts for an unknown task.
    /// @return 0 pending, also during the review; 1 completed: accepted, or paid in part by a ruling; 2 cancelled by the creator;
    /// 3 expired: no result by the deadline; 4 refunded: a ruling gave the agent nothing.
    function outcome(uint256 taskId) external view returns (Outcome) {
        return _known(taskId).outcome;
    }

    /// @notice Returns a task.
    function getTask(uint256 taskId) external view returns (Task memory) {
        return _known(taskId);
    }

    function _create(string calldata description, uint256 reward, uint256 deadline, bytes calldata requirements)
        private
        returns (uint256 taskId)
    {
        if (msg.value != reward) revert RewardNotSent(reward, msg.value);
        uint256 latest = block.timestamp + MAX_DURATION;
        if (deadline <= block.timestamp || deadline > latest) revert BadDeadline(deadline, latest);
        if (bytes(description).length > MAX_TEXT_BYTES) revert TextTooLong(bytes(description).length, MAX_TEXT_BYTES);
        if (requirements.length > MAX_TEXT_BYTES) revert TextTooLong(requirements.length, MAX_TEXT_BYTES);
        taskId = nextTaskId++;
        Task storage task = tasks[taskId];
        task.creator = msg.sender;
        task.reward = reward;
        task.deadline = uint64(deadline);
        emit TaskCreated(taskId, msg.sender, description, reward);
        emit TaskRequirements(taskId, deadline, requirements);
    }

    function _choose(uint256 taskId, Task storage task, bytes32 agentId) private {
        task.inviteOnly = true;
        task.chosenAgentId = agentId;
        emit AgentChosen(taskId, agentId);
    }

    function _accept(uint256 taskId, Task storage task, uint256 toAgent) private {
        emit TaskAccepted(taskId, task.agent, toAgent);
        _resolve(taskId, task, Outcome.Completed, toAgent);
    }

    function _resolve(uint256 taskId, Task storage task, Outcome outcome_, uint256 toAgent) private {
        uint256 toCreator = task.reward - toAgent;
        bool wasClaimed = task.status != Status.Open;
        task.status = Status.Resolved;
        task.outcome = outcome_;
        if (wasClaimed) agents.unlockStake(task.agentId);
        if (toAgent > 0) balanceOf[task.agent] += toAgent;
        if (toCreator > 0) balanceOf[task.creator] += toCreator;
        emit TaskResolved(taskId, toAgent, toCreator);
    }

    function _known(uint256 taskId) private view returns (Task storage task) {
        task = tasks[taskId];
        if (task.creator == address(0)) revert UnknownTask(taskId);
    }

    function _in(uint256 taskId, Status status) private view returns (Task storage task) {
        task = _known(taskId);
        if (task.status != status) revert WrongStatus(taskId, task.status);
    }

    function _before(uint256 time) private view {
        if (block.timestamp > time) revert DeadlinePassed(time);
    }

    function _after(uint256 time) private view {
        if (block.timestamp <= time) revert TooEarly(time + 1);
    }
}
