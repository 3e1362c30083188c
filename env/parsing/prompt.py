"""Every text the model reads, in English and Chinese (specification, parsing §6).

The system prompt holds general principles only; the one tool it names is OCR for a PDF with next to no text.
"""

import json
from typing import Any

from env.actions import InvalidAction
from env.parsing.card import FileCard
from env.parsing.config import ObservationConfig, ParsingConfig
from env.parsing.tools.tool import ToolResult, ToolSpec
from env.records import Message

ACTIONS = {"call_tool": "tool", "finish": "choice", "fail": "reason"}
"""Legal actions, each with the key of its argument."""

_SYSTEM = {
    "en": """You parse documents. Turn the given file into clean and complete text by choosing among parsing tools: try one, look at the \
quality of its result, switch to another if it is not good enough.

In each turn write exactly one JSON object and nothing else:
{call}
{finish}
{fail}

Principles
- No tool is best for every file. The file's card and the tool descriptions tell where to start; only a result tells whether it was right.
- Good: clean and natural close to 1, low duplicate, content_tokens that fit the size of the file, previews that read like the body of the \
document.
- If a result looks incomplete, garbled or full of leftover markup, try a different tool and compare. If it is good, finish: calls cost.
- A PDF that gives next to no text is probably a scan: use OCR.
- A tool cannot be called twice, unless it failed by timeout, lack of memory or a crash; then once more. At most {max_calls} calls.
- Finish only on a tool that succeeded. If no tool can read the file (random bytes, encrypted, damaged), fail and say why to the user.""",
    "zh": """你负责解析文档。从解析工具中选择，把给定文件转成干净完整的文本：先试一个，看结果质量，不好再换。

每一轮只输出一个 JSON 对象，不要输出别的内容：
{call}
{finish}
{fail}

原则
- 没有任何工具对所有文件都最好。文件的身份卡和工具描述告诉你从哪里开始，只有结果才能告诉你选得对不对。
- 好的结果：clean 和 natural 接近 1，duplicate 低，content_tokens 与文件大小相符，预览读起来是正文。
- 结果不完整、有乱码或残留标记时，换一个工具对比；结果已经好就结束，每次调用都有代价。
- PDF 几乎没有文字时很可能是扫描件：用 OCR。
- 同一个工具不能调用两次，除非它因超时、内存不足或崩溃而失败，此时可再试一次。最多调用 {max_calls} 次。
- 只能在成功的工具上结束。如果没有工具能读这个文件（随机字节、加密、损坏），就 fail，并向用户说明原因。""",
}
_TASK = {"en": "Parse this file:", "zh": "请解析这个文件："}
_INVALID = {"en": "the last step was invalid: {reason}", "zh": "上一步无效：{reason}"}
_EXAMPLES = {
    "call": {"thought": "...", "action": "call_tool", "tool": "name"},
    "finish": {"thought": "...", "action": "finish", "choice": "name"},
    "fail": {"thought": "...", "action": "fail", "reason": "..."},
}
_CARD_FIELDS_SHOWN = {
    *("name", "extension", "format", "mime", "size_bytes", "pages", "slides", "sheets"),
    *("encoding", "encoding_confidence", "hints", "warnings", "head"),
}
"""All but the hashes, which say nothing about the content and cost a hundred tokens."""


def system_prompt(config: ParsingConfig) -> str:
    """Rules of the game; with `thought=false` the thought is gone from the examples too."""
    hidden = set() if config.thought else {"thought"}
    examples = {name: _to_json({key: value for key, value in example.items() if key not in hidden}) for name, example in _EXAMPLES.items()}
    return _SYSTEM[config.language].format(max_calls=config.max_calls, **examples)


def task_prompt(card: FileCard, tools: tuple[ToolSpec, ...], config: ParsingConfig) -> str:
    """The file's card and the usable tools as one JSON object after a short sentence."""
    shown = card.model_dump(mode="json", include=_CARD_FIELDS_SHOWN, exclude_none=True)
    shown = {key: value for key, value in shown.items() if value not in ("", [])}
    described = {tool.name: tool.description if config.language == "en" else tool.description_zh for tool in tools}
    return f"{_TASK[config.language]}\n{_to_json({'card': shown, 'tools': described})}"


def first_messages(card: FileCard, tools: tuple[ToolSpec, ...], config: ParsingConfig) -> tuple[Message, ...]:
    """System prompt and task."""
    return (
        Message(role="system", content=system_prompt(config)),
        Message(role="user", content=task_prompt(card, tools, config)),
    )


def observation(result: ToolResult, previews: tuple[str, str], config: ObservationConfig) -> str:
    """What the model sees of a tool's result: numbers and two previews, never the full text; on failure only the error."""
    if not result.ok:
        return _to_json({"tool": result.tool, "ok": False, "error": result.error})
    shown: dict[str, Any] = {"tool": result.tool, "ok": True, "seconds": round(result.seconds, 2)}
    if config.quality and result.quality is not None:
        hidden = set() if config.coverage else {"coverage"}
        shown["quality"] = result.quality.model_dump(mode="json", exclude=hidden, exclude_none=True)
    head, middle = previews
    if config.preview_head_chars:
        shown["preview_head"] = head
    if config.preview_middle_chars:
        shown["preview_middle"] = middle
    return _to_json(shown)


def invalid_message(invalid: InvalidAction, config: ParsingConfig) -> str:
    """Answer to an invalid action."""
    return _INVALID[config.language].format(reason=invalid.detail)


def _to_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
