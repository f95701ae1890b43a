"""Tables made by the ORM, read back by reflection; rows, a savepoint and a fold of JSON through the session."""

import checks
from sqlalchemy import JSON, CheckConstraint, Computed, ForeignKey, Index, String, UniqueConstraint
from sqlalchemy import create_engine, func, inspect, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship, selectinload


class Base(DeclarativeBase):
    pass


class Author(Base):
    __tablename__ = "sa_author"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(40), comment="a 'name'")
    about: Mapped[dict | None] = mapped_column(JSON)
    twice: Mapped[str | None] = mapped_column(String(80), Computed("concat(name, name)", persisted=True))
    books: Mapped[list["Book"]] = relationship(back_populates="author", cascade="all, delete-orphan")
    __table_args__ = (UniqueConstraint("name", name="sa_name"), CheckConstraint("name <> ''", name="sa_named"))


class Book(Base):
    __tablename__ = "sa_book"
    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str] = mapped_column(String(40))
    author_id: Mapped[int] = mapped_column(ForeignKey("sa_author.id", ondelete="CASCADE", name="sa_by"))
    author: Mapped[Author] = relationship(back_populates="books")
    __table_args__ = (Index("sa_lower", func.lower(title)),)


engine = create_engine(f"mysql+pymysql://root@{checks.HOST}:{checks.PORT}/{checks.SCHEMA}?charset=utf8mb4")
Base.metadata.create_all(engine)
found = inspect(engine)
assert found.get_pk_constraint("sa_author")["constrained_columns"] == ["id"]
(key,) = found.get_foreign_keys("sa_book")
assert (key["name"], key["referred_table"], key["options"]) == ("sa_by", "sa_author", {"ondelete": "CASCADE"})
assert found.get_unique_constraints("sa_author")[0]["column_names"] == ["name"]
assert [c["name"] for c in found.get_check_constraints("sa_author")] == ["sa_named"]
columns = {c["name"]: c for c in found.get_columns("sa_author")}
assert columns["twice"]["computed"]["persisted"] and columns["name"]["comment"] == "a 'name'"


with Session(engine) as session:
    session.add(Author(name="Ada", about={"born": 1815}, books=[Book(title="Notes"), Book(title="Letters")]))
    session.commit()
    try:
        with session.begin_nested():
            session.add(Author(name="Ada"))
    except IntegrityError as error:
        assert error.orig.args[0] == 1062
    ada = session.scalars(select(Author).options(selectinload(Author.books))).one()
    assert sorted(b.title for b in ada.books) == ["Letters", "Notes"] and ada.twice == "AdaAda"
    born = session.scalar(select(Author.about["born"].as_integer()))
    assert born == 1815
    assert session.scalar(select(Author.about["died"].as_integer())) is None
    session.delete(ada)
    session.commit()
    assert session.scalar(select(func.count()).select_from(Book)) == 0
Base.metadata.drop_all(engine)
