import pytest
from hypothesis import given
from hypothesis import strategies as st

from env.parsing.mathml import convert_mathml

TABLE = "<mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr><mtr><mtd><mi>c</mi></mtd><mtd><mi>d</mi></mtd></mtr></mtable>"


@pytest.mark.parametrize(
    ("content", "latex"),
    [
        ("<mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mi>c</mi></mrow></mfrac>", r"\frac{a}{b + c}"),
        ("<mroot><mi>x</mi><mn>3</mn></mroot>", r"\sqrt[3]{x}"),
        ("<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover>", r"\sum_{i}^{n}"),
        ("<mi>&alpha;</mi><mo>&InvisibleTimes;</mo><mi>β</mi>", r"\alpha \beta"),
        ("<msup><mi>e</mi><mrow><mo form='prefix'>−</mo><mi>x</mi></mrow></msup>", "e^{- x}"),
        ("<munder><mrow><mi>lim</mi><mo>\u2061</mo></mrow><mi>x</mi></munder>", r"\underset{x}{\lim}"),
        ("<mrow><mi>softmax</mi><mo>\u2061</mo><mi>x</mi></mrow>", "softmax x"),
        (f"<mo>(</mo>{TABLE}<mo>)</mo>", r"( \begin{matrix}a & b \\ c & d\end{matrix} )"),
        (f"<mo>{{</mo>{TABLE}", r"\{ \begin{matrix}a & b \\ c & d\end{matrix}"),
        (f"<mfenced open='[' close=']'>{TABLE}</mfenced>", r"\begin{bmatrix} a & b \\ c & d \end{bmatrix}"),
        ("<mfrac linethickness='0pt'><mi>n</mi><mi>k</mi></mfrac>", r"\begin{matrix}n \\ k\end{matrix}"),
        ("<mfrac linethickness='0.5pt'><mi>n</mi><mi>k</mi></mfrac>", r"\frac{n}{k}"),
        ("<mover accent='true'><mi>x</mi><mo>^</mo></mover>", r"\hat{x}"),
        ("<mover><mi>w</mi><mo>\u0303</mo></mover>", r"\tilde{w}"),
        ("<mover><mi>v</mi><mo>→</mo></mover>", r"\vec{v}"),
        ("<mi mathvariant='double-struck'>ℝ</mi>", r"\mathbb{R}"),
        ("<mi mathvariant='bold' xlink:href='#a'>𝐖</mi>", r"\mathbf{W}"),
        ("<mtext>if <b>not</b> so</mtext>", r"\text{if not so}"),
        ("<semantics><mi>x</mi><annotation-xml><ci>y</ci></annotation-xml></semantics><!-- z -->", "x"),
        ("<mo>[</mo><mn>0</mn><mo>,</mo><mn>1</mn><mo>)</mo>", "[ 0 , 1 )"),
    ],
)
def test_each_kind_of_element_becomes_valid_latex(content: str, latex: str):
    assert convert_mathml(f"<math>{content}</math>") == latex


@pytest.mark.parametrize("content", ["<msup><mi>x</mi></msup>", "<mi>\x01</mi>", "<mrow>" * 500])
def test_what_the_library_refuses_gives_nothing(content: str):
    assert convert_mathml(f"<math>{content}</math>") == ""


TEXT = st.sampled_from(
    ["x", "12", "{", "}", "\\", "&amp;", "&lt;", "𝑾", "ℝ", "中 文", "", "\u2061", "^", "(", "]", "|", "\x01", "sin", "⟦F1⟧"]
)
ATTRIBUTE = st.sampled_from(
    ["", " mathvariant='bold'", " open='{' close=''", " separators=',;'", " notation='box'", " a", " xlink:href='b'"]
)
LEAF = st.builds("<{0}{1}>{2}</{0}>".format, st.sampled_from(["mi", "mn", "mo", "mtext", "mspace", "mprescripts", "none"]), ATTRIBUTE, TEXT)
BRANCHES = [
    "mrow",
    "mfrac",
    "mroot",
    "msqrt",
    "mfenced",
    "menclose",
    "msubsup",
    "munder",
    "mover",
    "mmultiscripts",
    "mtable",
    "mtr",
    "mtd",
    "math",
]


@given(
    st.recursive(
        LEAF,
        lambda nodes: st.builds("<{0}{1}>{2}</{0}>".format, st.sampled_from(BRANCHES), ATTRIBUTE, st.lists(nodes, max_size=4).map("".join)),
        max_leaves=12,
    )
)
def test_no_element_raises(content: str):
    element = f"<math>{content}</math>"
    assert convert_mathml(element) == convert_mathml(element)
